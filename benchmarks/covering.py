"""How many cases cover all pairs or triples: ours, covertable's, at random, and the bound that no array can beat.

``python benchmarks/covering.py SPACE STRENGTH [AXIS …]``: ``forward`` or ``backward``, 2 or 3; with axes, the part of
the space that these span, covered anew; without, the arrays that the suites are made of. Needs covertable (extra
``test``); one or two minutes for pairs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from covertable.main import Controller

from stimuli.random import Stream
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE, Space
from stimuli.space.counter import recount
from stimuli.space.covering import cover
from stimuli.space.frozen import assignments, tables_of
from stimuli.space.goals import Goals, feasible, listed, mark
from stimuli.space.sampling import complete
from stimuli.space.search import has_completion
from stimuli.space.tables import OPEN, Rows, Tables

DRAWS = 4096
"""Random assignments made at a time."""
FEW = 2000
"""Goals left open that are looked for one by one."""


def part(space: Space, axes: tuple[str, ...]) -> Space:
    """The part of a space that some axes span: rules that speak of others are left out."""
    if not axes:
        return space
    rules = tuple(rule for rule in space.rules if set(rule.where) <= set(axes))
    budgets = {mode: tuple(one for one in held if set(one.axes) <= set(axes)) for mode, held in space.budgets.items()}
    return replace(space, axes=tuple(one for one in space.axes if one.name in axes), rules=rules, budgets=budgets)


def covertable_rows(tables: Tables, strength: int) -> list[dict[str, str]]:
    """What covertable makes of the same rules, one constraint per set of axes; bins that are illegal alone left out."""
    space = tables.space
    banned = {(a, bins[0]) for rule in space.rules if len(rule.where) == 1 for a, bins in rule.where.items()}
    factors = {axis.name: [name for name in axis.names if (axis.name, name) not in banned] for axis in space.axes}
    constraints = [_constraint(tables, at) for at in _wide(tables)]
    controller = _Told(feasible(tables, strength), tables, factors, strength=strength, constraints=constraints)
    return [dict(row) for row in controller.make()]


class _Told(Controller):
    """covertable, told which goals are possible, and of a partial row whether the rules together leave it a completion.

    It would search for each goal on its own: hours, for triples. Its own look ahead, one rule at a time, lets it begin
    rows that cannot be filled, and of triples of a whole space it then throws away hundreds for each that it keeps.
    Which goals a row is made of, and what fills it, is covertable's choice.
    """

    def __init__(self, goals: Goals, tables: Tables, *arguments: Any, **options: Any) -> None:
        self._goals: Goals | None = goals
        self._tables = tables
        self._number = {
            (axis.name, name): at + n
            for axis, at in zip(tables.space.axes, tables.offsets, strict=False)
            for n, name in enumerate(axis.names)
        }
        super().__init__(*arguments, **options)
        self._goals = None

    def _forward_check(self, snapshot: dict[str, int]) -> bool:
        numbers = [self._number[one] for one in self._to_map_from_dict(snapshot).items()]
        if self._goals is not None:
            return bool(self._goals[tuple(numbers)])
        row = np.full(len(self._tables.sizes), OPEN, dtype=np.int16)
        for number in numbers:
            axis = int(np.searchsorted(self._tables.offsets, number, side="right")) - 1
            row[axis] = number - self._tables.offsets[axis]
        return super()._forward_check(snapshot) and has_completion(self._tables, row) is not None


def _wide(tables: Tables) -> list[int]:
    return [at for at, table in enumerate(tables.tables) if len(table.axes) > 1]


def _constraint(tables: Tables, at: int) -> dict[str, Any]:
    """A table as covertable's condition, which knows of a partial row whether it has a completion within the table.

    Without that covertable asks a rule about six axes only once it has filled all six, and searches for hours.
    """
    table = tables.tables[at]
    axes = [tables.space.axes[axis] for axis in table.axes]
    names = [axis.name for axis in axes]
    number = [{name: n for n, name in enumerate(axis.names)} for axis in axes]

    @cache
    def holds(known: tuple[str | None, ...]) -> bool:
        places = tuple(slice(None) if one is None else number[n][one] for n, one in enumerate(known))
        return bool(table.allowed[places].any())

    def possible(row: Mapping[str, str]) -> bool:
        return holds(tuple(row.get(name) for name in names))

    conditions = [{"operator": "fn", "requires": part, "evaluate": possible} for part in ([], names)]
    return {"operator": "and", "conditions": conditions}


def at_random(tables: Tables, strength: int, *, most: int = 5_000_000) -> tuple[int, int]:
    """(random cases drawn until every goal was met or the most were drawn, goals left open)."""
    left = feasible(tables, strength)
    order = sorted(range(len(tables.sizes)), key=lambda axis: -len(tables.about[axis]))
    drawn = 0
    while drawn < most and left.any():
        empty = np.full((DRAWS, len(tables.sizes)), OPEN, dtype=np.int16)
        rows = complete(tables, empty, Stream(f"random/{drawn}".encode()), order)
        needed = _rows_needed(tables, listed(left), rows)
        if needed is not None:
            return drawn + needed, 0
        mark(left, tables, rows, value=False)
        drawn += len(rows)
    return drawn, len(listed(left))


def _rows_needed(tables: Tables, goals: npt.NDArray[np.int64], rows: Rows) -> int | None:
    """How many of the rows meet all of the goals; None if all together do not."""
    if len(goals) > FEW:
        return None
    axes = np.searchsorted(tables.offsets, goals, side="right") - 1
    bins = goals - np.asarray(tables.offsets)[axes]
    met = (rows[:, axes] == bins).all(axis=2)
    return int(met.argmax(axis=0).max()) + 1 if met.any(axis=0).all() else None


def main() -> None:
    """Prints one row."""
    name, strength, axes = sys.argv[1], int(sys.argv[2]), tuple(sys.argv[3:])
    space = part({"forward": FORWARD_SPACE, "backward": BACKWARD_SPACE}[name], axes)
    tables = tables_of(space, strength)
    bins = {axis.name: axis.names for axis in space.axes}
    ours = [tables.assignment(row) for row in cover(tables, strength)] if axes else assignments(space, strength)
    counted = recount(bins, tables.rules, ours, strength)
    legal = feasible(tables, 1)
    sizes = sorted(int(legal[at : at + n].sum()) for at, n in zip(tables.offsets[:-1], tables.sizes, strict=True))
    print(f"{name} t={strength}: {counted.total} goals, missing {len(counted.missing)}, broken {len(counted.broken)}")
    print(f"  ours {len(ours)}, product of the largest axes {int(np.prod(sizes[-strength:]))}", flush=True)
    print("  at random {} cases leave {} open".format(*at_random(tables, strength)), flush=True)
    begin = time.process_time()
    theirs = covertable_rows(tables, strength)
    seconds = time.process_time() - begin
    found = recount(bins, tables.rules, theirs, strength)
    print(
        f"  covertable {len(theirs)} in {seconds:.0f} CPU s, ours is {len(ours) / len(theirs):.2f} of that", flush=True
    )
    print(f"  of covertable's: missing {len(found.missing)}, broken {len(found.broken)}", flush=True)


if __name__ == "__main__":
    main()
