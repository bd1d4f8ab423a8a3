"""Exhaustive search for a completion of a partial assignment, within the groups of axes that rules connect."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.space.tables import OPEN, Tables

Row = npt.NDArray[np.int16]


def has_completion(tables: Tables, partial: Row) -> Row | None:
    """A complete assignment that agrees with a partial one and breaks no rule; None if there is none.

    Axes of different groups cannot disturb each other, so that each group is searched for itself.
    """
    row = partial.copy()
    for group in tables.groups:
        known = [axis for axis in group if row[axis] != OPEN]
        if not _settled_ok(tables, row, known):
            return None
        if not _search(tables, row, known, [axis for axis in group if row[axis] == OPEN]):
            return None
    return row


def _settled_ok(tables: Tables, row: Row, known: list[int]) -> bool:
    """Whether no single table forbids what is known of its axes."""
    settled = set(known)
    for table in tables.tables:
        seen = tuple(axis for axis in table.axes if axis in settled)
        if seen and not table.on(seen)[tuple(row[axis] for axis in seen)]:
            return False
    return True


def _search(tables: Tables, row: Row, known: list[int], todo: list[int]) -> bool:
    """Fills the axes ``todo`` of ``row`` in place; false, and the axes open again, if nothing fits.

    The axis with the fewest bins left goes first: what cannot be satisfied shows itself early.
    """
    if not todo:
        return True
    left = {axis: np.flatnonzero(tables.possible(row[None, :], known, axis)[0]) for axis in todo}
    axis = min(todo, key=lambda one: len(left[one]))
    rest = [one for one in todo if one != axis]
    for number in left[axis]:
        row[axis] = number
        if _search(tables, row, [*known, axis], rest):
            return True
    row[axis] = OPEN
    return False
