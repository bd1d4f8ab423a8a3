"""Covering arrays: few assignments that meet every feasible goal. Directed at holes: each row starts from an open goal.

A row begins with the bins of an open goal. The remaining axes are filled one by one with the bin that meets the most
open goals with what is there already; of several completions the one that meets most is kept. Everything follows from
the space and the seed.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from stimuli.random import Stream
from stimuli.space.goals import Goals, feasible, mark, pinned
from stimuli.space.search import has_completion
from stimuli.space.tables import OPEN, Rows, Tables

CANDIDATES = 20
"""Completions of one open goal, of which the best is kept."""
ORDERS = 4
"""Orders of axes among these completions."""


def cover(tables: Tables, strength: int, *, start: Rows | None = None, seed: int = 0) -> Rows:
    """Makes a covering array.

    Args:
        tables: the rules.
        strength: t, 2 or 3.
        start: rows that are there already and stay, first and unchanged.
        seed: another number gives another array.

    Returns:
        [rows, axes]; the rows given, then what closes the goals they leave open.
    """
    goals = feasible(tables, strength)
    kept = np.zeros((0, len(tables.sizes)), dtype=np.int16) if start is None else start
    mark(goals, tables, kept, value=False)
    made = close(tables, goals, stream=Stream(f"cover/{seed}".encode()))
    return np.concatenate([kept, without_idle(tables, strength, made, kept=kept)])


def close(tables: Tables, goals: Goals, *, stream: Stream, candidates: int = CANDIDATES) -> Rows:
    """Rows that meet every goal still open.

    Args:
        tables: the rules.
        goals: feasible open goals.
        stream: source of every choice.
        candidates: completions per row.
    """
    left = goals.copy()
    rows: list[npt.NDArray[np.int16]] = []
    while left.any():
        best = _best_row(tables, left, stream.child(str(len(rows))), candidates)
        rows.append(best)
        mark(left, tables, best[None, :], value=False)
    return np.asarray(rows, dtype=np.int16).reshape(-1, len(tables.sizes))


def without_idle(tables: Tables, strength: int, rows: Rows, *, kept: Rows) -> Rows:
    """Leaves out rows whose every goal another row meets, the latest first.

    Args:
        tables: the rules.
        strength: t.
        rows: rows that may go.
        kept: rows that stay, and whose goals need nobody else.
    """
    met = np.zeros([tables.total] * strength, dtype=np.int32)
    groups = [_met(tables, strength, row) for row in rows]
    for group in (*groups, *(_met(tables, strength, row) for row in kept)):
        met[group] += 1
    needed = []
    for at in range(len(rows) - 1, -1, -1):
        if (met[groups[at]] > 1).all():
            met[groups[at]] -= 1
        else:
            needed.append(at)
    return rows[sorted(needed)]


def _met(tables: Tables, strength: int, row: npt.NDArray[np.int16]) -> tuple[npt.NDArray[np.int64], ...]:
    """The goals that one row meets, as an index."""
    placed = row + np.asarray(tables.offsets[:-1], dtype=np.int64)
    axes = np.asarray(list(combinations(range(len(placed)), strength)))
    return tuple(placed[axes[:, at]] for at in range(strength))


def _best_row(tables: Tables, left: Goals, stream: Stream, candidates: int) -> npt.NDArray[np.int16]:
    """The best completion of the most wanted open goal."""
    start = pinned(tables, _wanted(left))
    best, most = start, -1
    for number in range(ORDERS):
        drawn = stream.child(str(number))
        rows = np.repeat(start[None, :], max(1, candidates // ORDERS), axis=0)
        rows, gains = _filled(tables, left, rows, drawn)
        if len(rows) and int(gains.max()) > most:
            most = int(gains.max())
            best = rows[int(gains.argmax())]
    if most >= 0:
        return best
    found = has_completion(tables, start)
    if found is None:
        raise ValueError(f"goal without a completion: {tables.assignment(start)}")
    return found


def _wanted(left: Goals) -> npt.NDArray[np.int64]:
    """The open goal whose bins have the most open goals, bin after bin."""
    goal: list[int] = []
    view = left
    for _ in range(left.ndim):
        counts = view.reshape(len(view), -1).sum(axis=1)
        goal.append(int(counts.argmax()))
        view = view[goal[-1]]
    return np.asarray(sorted(goal), dtype=np.int64)


def _filled(tables: Tables, left: Goals, rows: Rows, stream: Stream) -> tuple[Rows, npt.NDArray[np.int64]]:
    """Fills all open axes of equal partial rows greedily, ties by chance; the complete rows and what each meets."""
    axes = [axis for axis in range(len(tables.sizes)) if rows[0, axis] == OPEN]
    known = [axis for axis in range(len(tables.sizes)) if rows[0, axis] != OPEN]
    order = [axes[at] for at in stream.child("order").permutation(len(axes))]
    gains = np.ones(len(rows), dtype=np.int64)
    for axis in order:
        allowed = tables.possible(rows, known, axis)
        gain = _gain(tables, left, rows, known, axis)
        noise = stream.child(str(axis)).halves(gain.size).reshape(gain.shape)
        value = np.where(allowed, (gain << 16) + noise, -1)
        chosen = value.argmax(axis=1)
        rows[:, axis] = chosen
        alive = allowed.any(axis=1)
        gains = (gains + gain[np.arange(len(rows)), chosen])[alive]
        rows = rows[alive]
        known.append(axis)
        if not len(rows):
            return rows, gains
    right = tables.holds(rows)
    return rows[right], gains[right]


def _gain(tables: Tables, left: Goals, rows: Rows, known: list[int], axis: int) -> npt.NDArray[np.int64]:
    """Open goals that each bin of an axis would meet together with what is known: [rows, bins]."""
    bins = slice(tables.offsets[axis], tables.offsets[axis + 1])
    placed = rows[:, known] + np.asarray(tables.offsets, dtype=np.int64)[known]
    if left.ndim == 2:
        return np.asarray(left[:, bins][placed].sum(axis=1), dtype=np.int64)
    first, second = np.triu_indices(len(known), 1)
    return np.asarray(left[:, :, bins][placed[:, first], placed[:, second]].sum(axis=1), dtype=np.int64)
