"""Goals: combinations of t bins of different axes, and which of them the rules leave possible."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from stimuli.random import Stream
from stimuli.space.axis import BUDGET, IGNORED, ILLEGAL, Space
from stimuli.space.sampling import complete
from stimuli.space.search import has_completion
from stimuli.space.tables import OPEN, Rows, Tables

Goals = npt.NDArray[np.bool_]
"""[bins] * t over all bins of all axes, true in every order of a goal's bins."""

FEASIBLE, UNREACHABLE = "feasible", "unreachable"
"""What a goal is besides ``ignored`` and ``budget``."""
_SAMPLES = 4096
_BATCHES = {1: 1, 2: 1, 3: 12}
"""Drawn assignments at a time, and how many times, by strength."""


def every(tables: Tables, strength: int) -> Goals:
    """All combinations of bins of different axes."""
    axis_of = np.repeat(np.arange(len(tables.sizes)), tables.sizes)
    found = np.ones([tables.total] * strength, dtype=np.bool_)
    for first, second in combinations(range(strength), 2):
        shape = [tables.total if at in (first, second) else 1 for at in range(strength)]
        found &= (axis_of[:, None] != axis_of[None, :]).reshape(shape)
    return found


def mark(goals: Goals, tables: Tables, rows: Rows, *, value: bool) -> None:
    """Sets, in place, every goal that the rows meet."""
    placed = rows + np.asarray(tables.offsets[:-1], dtype=np.int64)
    strength = goals.ndim
    for axes in combinations(range(len(tables.sizes)), strength):
        at = [placed[:, axis] for axis in axes]
        if strength == 1:
            goals[at[0]] = value
        elif strength == 2:
            goals[at[0], at[1]] = goals[at[1], at[0]] = value
        else:
            one, two, three = at
            goals[one, two, three] = goals[one, three, two] = goals[two, one, three] = value
            goals[two, three, one] = goals[three, one, two] = goals[three, two, one] = value


def listed(goals: Goals) -> npt.NDArray[np.int64]:
    """Every goal once: [goals, t] bins, ascending."""
    found = np.argwhere(goals)
    return found[(np.diff(found, axis=1) > 0).all(axis=1)] if goals.ndim > 1 else found


def feasible(tables: Tables, strength: int) -> Goals:
    """The goals that some complete assignment meets.

    A drawn assignment that meets a goal proves it; what no draw met is searched exhaustively.
    """
    found = np.zeros([tables.total] * strength, dtype=np.bool_)
    order = _connected_first(tables)
    for batch in range(_BATCHES[strength]):
        empty = np.full((_SAMPLES, len(tables.sizes)), OPEN, dtype=np.int16)
        mark(found, tables, complete(tables, empty, Stream(f"goals/{batch}".encode()), order), value=True)
    for goal in listed(_hopeful(tables, strength) & ~found):
        if found[tuple(goal)]:
            continue
        row = has_completion(tables, pinned(tables, goal))
        if row is not None:
            mark(found, tables, row[None, :], value=True)
    return found


def _hopeful(tables: Tables, strength: int) -> Goals:
    """Goals whose parts are all feasible: no other can be."""
    found = every(tables, strength)
    if strength == 1:
        return found
    parts = feasible(tables, strength - 1)
    for left_out in range(strength):
        found &= np.expand_dims(parts, left_out)
    return found


def pinned(tables: Tables, goal: npt.NDArray[np.int64]) -> npt.NDArray[np.int16]:
    """The partial assignment that a goal is."""
    row = np.full(len(tables.sizes), OPEN, dtype=np.int16)
    for number in goal:
        axis = int(np.searchsorted(tables.offsets, number, side="right")) - 1
        row[axis] = number - tables.offsets[axis]
    return row


def _connected_first(tables: Tables) -> list[int]:
    """Axes with the most rules first: they are the hardest to satisfy late."""
    return sorted(range(len(tables.sizes)), key=lambda axis: -len(tables.about[axis]))


def over_budget(space: Space, run_mode: str, strength: int) -> dict[str, Goals]:
    """The goals that capacity rules leave out, by the rule that does.

    Returns:
        By each rule's text the goals that it leaves out on its own, so that a goal may be under several rules; under
        the empty text those that only several rules together leave out.
    """
    sensible = feasible(Tables(space, run_mode=None, kinds=(ILLEGAL, IGNORED)), strength)
    held = feasible(Tables(space, run_mode=run_mode, kinds=(ILLEGAL, IGNORED)), strength)
    found = {}
    for one in space.budgets[run_mode]:
        alone = replace(space, budgets={run_mode: (one,)})
        found[one.text] = sensible & ~feasible(Tables(alone, run_mode=run_mode, kinds=(ILLEGAL, IGNORED)), strength)
    return {**found, "": sensible & ~held & ~np.any([*found.values(), ~sensible], axis=0)}


def classify(space: Space, run_mode: str, strength: int) -> dict[str, Goals]:
    """Every goal by what the rules make of it.

    Returns:
        ``feasible``; ``unreachable``: the contract's rules alone leave no assignment; ``ignored``: with those that
        would say nothing left out, there is none; ``budget``: what the run mode's capacity rules hold leaves none.
    """
    sets = []
    for mode, kinds in ((None, (ILLEGAL,)), (None, (ILLEGAL, IGNORED)), (run_mode, (ILLEGAL, IGNORED))):
        sets.append(feasible(Tables(space, run_mode=mode, kinds=kinds), strength))
    legal, sensible, held = sets
    everything = every(Tables(space, run_mode=None, kinds=()), strength)
    return {
        FEASIBLE: held,
        UNREACHABLE: everything & ~legal,
        IGNORED: legal & ~sensible,
        BUDGET: sensible & ~held,
    }
