"""What a case of the spaces may cost in the simulator: declared, so that what it leaves out can be counted."""

from __future__ import annotations

from math import ceil

from stimuli.space.attention import BATCHES, BLOCKS, BY_CLASS, HEADS
from stimuli.space.axis import Assignment, Budget
from stimuli.space.sizes import tokens

SIM_UNITS = 24
"""Blocks times heads times batches that one loop of a kernel visits."""
SIM_LOGITS = 1 << 20
"""Logits of all heads and batches."""
SIM_ROWS = 1025
"""Query rows of a sequence."""

_AXES = ("batch", "heads", "block", "seq_q", "threshold_q")


def rows(assignment: Assignment) -> int:
    """Query rows of a sequence."""
    if assignment["threshold_q"] != BY_CLASS:
        return int(assignment["threshold_q"])
    return tokens(assignment["seq_q"], _block(assignment)[0], keys=False)


def keys(assignment: Assignment) -> int:
    """Key rows of a sequence."""
    return tokens(assignment["seq_kv"], _block(assignment)[1], keys=True)


def query_units(assignment: Assignment) -> float:
    """Query blocks of all heads and batches: iterations of the loop over queries."""
    return _batch(assignment) * _heads(assignment)[0] * ceil(rows(assignment) / _block(assignment)[0])


def key_units(assignment: Assignment) -> float:
    """Key blocks of all key heads and batches: iterations of the backward's loop over keys."""
    return _batch(assignment) * _heads(assignment)[1] * ceil(keys(assignment) / _block(assignment)[1])


def logits(assignment: Assignment) -> float:
    """Query rows times key rows of all heads and batches."""
    return float(_batch(assignment) * _heads(assignment)[0] * rows(assignment) * keys(assignment))


def _batch(assignment: Assignment) -> int:
    return BATCHES[assignment["batch"]]


def _heads(assignment: Assignment) -> tuple[int, int]:
    return HEADS.get(assignment["heads"], (1, 1))


def _block(assignment: Assignment) -> tuple[int, int]:
    return BLOCKS.get(assignment["block"], (64, 64))


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

SIM_BUDGETS: dict[bool, tuple[Budget, ...]] = {
    False: (_ROWS, _UNITS, _LOGITS),
    True: (_ROWS, _UNITS, _KEY_UNITS, _LOGITS),
}
"""Capacity rules of ``sim``, by whether a kernel loops over keys as well."""
