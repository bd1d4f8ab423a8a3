"""Soak: assignments drawn at random by the bins' weights, as many as asked for, each the same for ever.

Case n of an edition depends on the edition and n only: its random word for an axis is word n of a stream named after
that axis, and axes and bins of later editions are not known to it. So a longer soak begins with the shorter one, and
what is added to a space renames nothing: it starts another edition.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.case import Case
from stimuli.random import Stream
from stimuli.space.axis import IGNORED, ILLEGAL, NIGHT, Space
from stimuli.space.sampling import BITS, choose, whole_weights
from stimuli.space.tables import OPEN, Rows, Tables

EDITION = 1
"""The latest edition; a change of axes, bins, weights or rules that would rename soak cases makes a new one."""
_TRIES = 64
"""How often a draw that the rules leave no completion for is made again."""


def soak(space: Space, count: int, *, edition: int = EDITION, run_mode: str = NIGHT) -> tuple[Tables, Rows]:
    """Draws assignments.

    Args:
        space: what to draw from.
        count: how many.
        edition: what the draw knows of the space.
        run_mode: its capacity rules hold.

    Returns:
        The tables, and [count, axes] rows; :meth:`Tables.assignment` reads one.
    """
    tables = Tables(space, run_mode=run_mode, kinds=(ILLEGAL, IGNORED))
    known_bins = [_known(space, axis, edition) for axis in range(len(space.axes))]
    rows = np.full((count, len(space.axes)), OPEN, dtype=np.int16)
    todo = np.arange(count)
    for attempt in range(_TRIES):
        drawn = _draw(tables, known_bins, Stream(f"soak/{space.name}/{edition}/{attempt}".encode()), todo)
        fits = (drawn != OPEN).all(axis=1)
        fits[fits] = tables.holds(drawn[fits])
        rows[todo[fits]] = drawn[fits]
        todo = todo[~fits]
        if not len(todo):
            return tables, rows
    raise ValueError(f"space {space.name}: {len(todo)} draws found no assignment in {_TRIES} tries")


def soak_cases(space: Space, dut: str, count: int) -> tuple[Case, ...]:
    """The first cases of a space's soak.

    Args:
        space: what to draw from.
        dut: the DUT they are for.
        count: how many draws; of equal ones the first is kept.
    """
    tables, rows = soak(space, count)
    made: dict[str, Case] = {}
    for number, row in enumerate(rows):
        case = space.case(dut, tables.assignment(row), name=f"soak/{EDITION}.{number}")
        made.setdefault(case.id, case)
    return tuple(made.values())


def _known(space: Space, axis: int, edition: int) -> npt.NDArray[np.bool_]:
    """Bins that an edition knows; of a later axis, its default."""
    bins = space.axes[axis].bins
    if space.axes[axis].since > edition:
        return np.asarray(np.arange(len(bins)) == 0)
    return np.asarray([one.since <= edition for one in bins])


def _draw(tables: Tables, known_bins: list[npt.NDArray[np.bool_]], stream: Stream, todo: npt.NDArray[np.intp]) -> Rows:
    """One try at the draws with the numbers ``todo``; ``OPEN`` from where the rules left nothing."""
    rows = np.full((len(todo), len(known_bins)), OPEN, dtype=np.int16)
    alive = np.arange(len(todo))
    known: list[int] = []
    for axis, declared in enumerate(tables.space.axes):
        words = stream.child(declared.name).words(int(todo.max()) + 1)[todo[alive]]
        bits = words >> np.uint64(64 - BITS)
        allowed = tables.possible(rows[alive], known, axis) & known_bins[axis]
        rows[alive, axis] = choose(allowed, whole_weights(tables, axis), bits)
        alive = alive[rows[alive, axis] != OPEN]
        known.append(axis)
    return rows
