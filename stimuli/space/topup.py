"""Cases for what is still open: from a pinned open goal, the best of twenty completions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from stimuli.random import Stream
from stimuli.space.axis import IGNORED, ILLEGAL, Space
from stimuli.space.covering import close
from stimuli.space.goals import feasible
from stimuli.space.tables import Tables


def top_up(
    space: Space, run_mode: str, goals: Iterable[tuple[tuple[str, str], ...]], *, attempt: int = 0
) -> list[dict[str, str]]:
    """Assignments that meet open goals.

    Args:
        space: the space.
        run_mode: its capacity rules hold.
        goals: (axis, bin) pairs of each open goal, all of one strength; those that no assignment can meet are left out.
        attempt: another number gives other completions of the same goals.

    Returns:
        Complete assignments, the same for the same goals in whatever order they come.
    """
    tables = Tables(space, run_mode=run_mode, kinds=(ILLEGAL, IGNORED))
    numbers = {
        (axis.name, name): tables.offsets[at] + n
        for at, axis in enumerate(space.axes)
        for n, name in enumerate(axis.names)
    }
    placed = [tuple(numbers[one] for one in goal) for goal in goals]
    if not placed:
        return []
    strength = len(placed[0])
    wanted = np.zeros([tables.total] * strength, dtype=np.bool_)
    for goal in placed:
        for first in range(strength):
            wanted[goal[first:] + goal[:first]] = True
            wanted[(goal[first:] + goal[:first])[::-1]] = True
    rows = close(tables, wanted & feasible(tables, strength), stream=Stream(f"top-up/{attempt}".encode()))
    return [tables.assignment(row) for row in rows]
