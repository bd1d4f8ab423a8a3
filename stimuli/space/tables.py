"""Rules as boolean tables, and what they leave possible when only some axes are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from stimuli.space.axis import Budget, Rule, Space

Rows = npt.NDArray[np.int16]
"""[rows, axes]: number of a bin within its axis; -1 = open."""
OPEN = -1


class Table:
    """All rules and budgets about one set of axes.

    Args:
        axes: numbers of the axes, ascending.
        allowed: bool, one dimension per axis.
    """

    def __init__(self, axes: tuple[int, ...], allowed: npt.NDArray[np.bool_]) -> None:
        self.axes = axes
        self.allowed = allowed
        self._projected: dict[tuple[int, ...], npt.NDArray[np.bool_]] = {}

    def on(self, axes: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        """The table seen on some of its axes: what has a completion on the others."""
        if axes not in self._projected:
            hidden = tuple(at for at, axis in enumerate(self.axes) if axis not in axes)
            self._projected[axes] = np.asarray(self.allowed.any(axis=hidden))
        return self._projected[axes]


class Tables:
    """The rules of a space, compiled.

    Args:
        space: the space.
        run_mode: its capacity rules apply; None = none do.
        kinds: kinds of rules that apply.
    """

    def __init__(self, space: Space, *, run_mode: str | None, kinds: Sequence[str]) -> None:
        self.space = space
        self.sizes = tuple(len(axis.bins) for axis in space.axes)
        self.offsets = tuple(int(at) for at in np.cumsum((0, *self.sizes)))
        budgets = space.budgets[run_mode] if run_mode is not None else ()
        self.rules: tuple[Rule | Budget, ...] = (*(rule for rule in space.rules if rule.kind in kinds), *budgets)
        self.tables = _compile(space, self.rules)
        self.about = [[one for one in self.tables if axis in one.axes] for axis in range(len(self.sizes))]

    @property
    def total(self) -> int:
        """Bins of all axes."""
        return self.offsets[-1]

    def possible(self, rows: Rows, known: Iterable[int], axis: int) -> npt.NDArray[np.bool_]:
        """Which bins of an axis no single table forbids.

        Args:
            rows: partial assignments that all know the same axes.
            known: those axes.
            axis: another one.

        Returns:
            bool [rows, bins of the axis]. A bin left may still have no completion: tables are seen one by one.
        """
        found = np.ones((len(rows), self.sizes[axis]), dtype=np.bool_)
        settled = set(known)
        for table in self.about[axis]:
            seen = tuple(one for one in table.axes if one in settled or one == axis)
            order = [at for at, one in enumerate(seen) if one != axis] + [seen.index(axis)]
            view = table.on(seen).transpose(order)
            found &= view[tuple(rows[:, one] for one in seen if one != axis)]
        return found

    def holds(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Whether complete assignments satisfy every rule: bool [rows]."""
        found = np.ones(len(rows), dtype=np.bool_)
        for table in self.tables:
            found &= table.allowed[tuple(rows[:, axis] for axis in table.axes)]
        return found

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Axes that rules connect, directly or through others."""
        group = list(range(len(self.sizes)))
        for table in self.tables:
            merged = {group[axis] for axis in table.axes}
            group = [min(merged) if one in merged else one for one in group]
        return tuple(tuple(a for a, one in enumerate(group) if one == name) for name in sorted(set(group)))

    def rows(self, assignments: Iterable[dict[str, str]]) -> Rows:
        """Assignments as numbers; axes that are missing are open."""
        axes = self.space.axes
        found = [
            [axis.names.index(one[axis.name]) if axis.name in one else OPEN for axis in axes] for one in assignments
        ]
        return np.asarray(found, dtype=np.int16).reshape(-1, len(self.sizes))

    def assignment(self, row: npt.NDArray[np.int16]) -> dict[str, str]:
        """Numbers as an assignment."""
        return {axis.name: axis.names[int(at)] for axis, at in zip(self.space.axes, row, strict=True) if at != OPEN}


def _compile(space: Space, rules: Sequence[Rule | Budget]) -> tuple[Table, ...]:
    names = [axis.name for axis in space.axes]
    allowed: dict[tuple[int, ...], npt.NDArray[np.bool_]] = {}
    for rule in rules:
        spoken = rule.axes if isinstance(rule, Budget) else tuple(rule.where)
        axes = tuple(sorted(names.index(name) for name in spoken))
        bins = [space.axes[axis].names for axis in axes]
        table = allowed.setdefault(axes, np.ones([len(one) for one in bins], dtype=np.bool_))
        for at in product(*(range(len(one)) for one in bins)):
            if rule.excludes({names[a]: bins[n][i] for n, (a, i) in enumerate(zip(axes, at, strict=True))}):
                table[at] = False
    return tuple(Table(axes, table) for axes, table in allowed.items())
