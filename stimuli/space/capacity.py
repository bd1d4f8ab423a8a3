"""What a case of the spaces may cost in the simulator: declared, so that what it leaves out can be counted."""

from __future__ import annotations

from math import ceil

from stimuli.space.axis import Assignment, Budget
from stimuli.space.cube import CUBE_BUDGETS
from stimuli.space.extent import batches, block_sides, head_counts, keys, rows

SIM_UNITS = 24
"""Blocks times heads times batches that one loop of a kernel visits."""
SIM_LOGITS = 1 << 20
"""Logits of all heads and batches."""
SIM_ROWS = 1025
"""Query rows of a sequence."""

_AXES = ("batch", "heads", "block", "seq_q", "threshold_q")


def query_units(assignment: Assignment) -> float:
    """Query blocks of all heads and batches: iterations of the loop over queries."""
    return batches(assignment) * head_counts(assignment)[0] * ceil(rows(assignment) / block_sides(assignment)[0])


def key_units(assignment: Assignment) -> float:
    """Key blocks of all key heads and batches: iterations of the backward's loop over keys."""
    return batches(assignment) * head_counts(assignment)[1] * ceil(keys(assignment) / block_sides(assignment)[1])


def logits(assignment: Assignment) -> float:
    """Query rows times key rows of all heads and batches."""
    return float(batches(assignment) * head_counts(assignment)[0] * rows(assignment) * keys(assignment))


_ROWS = Budget(
    name="rows",
    axes=("block", "seq_q", "threshold_q"),
    measure=rows,
    limit=SIM_ROWS,
    text=f"at most {SIM_ROWS} query rows",
)
_UNITS = Budget(
    name="units",
    axes=_AXES,
    measure=query_units,
    limit=SIM_UNITS,
    text=f"at most {SIM_UNITS} query blocks x heads x batches",
)
_LOGITS = Budget(
    name="logits",
    axes=(*_AXES, "seq_kv"),
    measure=logits,
    limit=SIM_LOGITS,
    text=f"at most {SIM_LOGITS} query rows x key rows x heads x batches",
)
_KEY_UNITS = Budget(
    name="key units",
    axes=("batch", "heads", "block", "seq_kv"),
    measure=key_units,
    limit=SIM_UNITS,
    text=f"at most {SIM_UNITS} key blocks x key heads x batches",
)

NIGHT_BUDGETS: dict[bool, tuple[Budget, ...]] = {
    False: (_ROWS, _UNITS, _LOGITS),
    True: (_ROWS, _UNITS, _KEY_UNITS, _LOGITS),
}
"""Capacity rules of the suites that run by night in ``sim``, by whether a kernel loops over keys as well."""
SIM_BUDGETS: dict[bool, tuple[Budget, ...]] = {
    False: NIGHT_BUDGETS[False],
    True: (*NIGHT_BUDGETS[True], *CUBE_BUDGETS),
}
"""Capacity rules of ``sim``: what one case may cost by day, when the default suites have 15 minutes on two cores."""
