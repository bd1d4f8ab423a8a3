"""An independent recount of what assignments cover. It shares no code with the generator: sets, products, propagation.

The generator compiles rules into tables and marks goals in arrays; this counter reads the rules as they are declared,
keeps the bins of each axis that are left, one bit each, and removes those that some rule leaves no room for until
nothing changes, branching where that does not decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from stimuli.space.axis import Budget, Rule

Goal = tuple[tuple[str, str], ...]
"""(axis, bin) pairs, axes in the order of the space."""
_Domains = dict[str, int]
"""Bins that are left, by axis: one bit a bin."""
_Combinations = npt.NDArray[np.int64]
"""[combinations, axes]: a bin's bit each."""
_Held = list[tuple[tuple[str, ...], _Combinations]]
"""(axes, combinations within the budget)."""


@dataclass(frozen=True, kw_only=True)
class Count:
    """What a recount found."""

    total: int
    """Goals that some assignment without a broken rule meets."""
    covered: int
    missing: tuple[Goal, ...]
    """Goals that could be met and are not."""
    broken: tuple[int, ...]
    """Positions of assignments that break a rule; they cover nothing."""


def recount(
    bins: Mapping[str, Sequence[str]],
    rules: Sequence[Rule | Budget],
    rows: Iterable[Mapping[str, str]],
    strength: int,
) -> Count:
    """Counts the goals of a strength that complete assignments meet.

    Args:
        bins: names of the bins by axis.
        rules: what is excluded.
        rows: complete assignments.
        strength: t.
    """
    listed = list(rows)
    broken = tuple(at for at, row in enumerate(listed) if any(rule.excludes(row) for rule in rules))
    seen = {
        tuple((axis, row[axis]) for axis in axes)
        for at, row in enumerate(listed)
        if at not in broken
        for axes in combinations(bins, strength)
    }
    solver = _Solver(bins, rules)
    missing = tuple(goal for goal in _goals(bins, strength) if goal not in seen and solver.possible(goal))
    return Count(total=len(seen) + len(missing), covered=len(seen), missing=missing, broken=broken)


def _goals(bins: Mapping[str, Sequence[str]], strength: int) -> Iterable[Goal]:
    for axes in combinations(bins, strength):
        for chosen in product(*(bins[axis] for axis in axes)):
            yield tuple(zip(axes, chosen, strict=True))


class _Solver:
    """Decides whether anything meets a goal."""

    def __init__(self, bins: Mapping[str, Sequence[str]], rules: Sequence[Rule | Budget]) -> None:
        self._bit = {axis: {name: 1 << at for at, name in enumerate(names)} for axis, names in bins.items()}
        self._whole = {axis: sum(bits.values()) for axis, bits in self._bit.items()}
        self._rules = [
            {axis: sum(self._bit[axis][name] for name in names) for axis, names in rule.where.items()}
            for rule in rules
            if isinstance(rule, Rule)
        ]
        self._held = [(one.axes, self._within(one)) for one in rules if isinstance(one, Budget)]
        self._known: dict[Goal, bool] = {}

    def possible(self, goal: Goal) -> bool:
        """Whether an assignment exists that meets the goal and breaks no rule."""
        if goal not in self._known:
            parts = combinations(goal, len(goal) - 1) if len(goal) > 1 else ()
            self._known[goal] = all(self.possible(part) for part in parts) and self._solve(
                {**self._whole, **{axis: self._bit[axis][name] for axis, name in goal}}, self._held
            )
        return self._known[goal]

    def _within(self, budget: Budget) -> _Combinations:
        combined = product(*(self._bit[axis] for axis in budget.axes))
        fitting = [one for one in combined if not budget.excludes(dict(zip(budget.axes, one, strict=True)))]
        bits = [[self._bit[axis][name] for axis, name in zip(budget.axes, one, strict=True)] for one in fitting]
        return np.asarray(bits, dtype=np.int64).reshape(-1, len(budget.axes))

    def _solve(self, domains: _Domains, held: _Held) -> bool:
        narrowed, left = self._propagate(domains, held)
        if not all(narrowed.values()):
            return False
        undecided = [rule for rule in self._rules if all(narrowed[axis] & banned for axis, banned in rule.items())]
        open_axes = {axis for rule in undecided for axis in rule if narrowed[axis].bit_count() > 1}
        open_axes |= {axis for axes, _ in left for axis in axes if narrowed[axis].bit_count() > 1}
        if not open_axes:
            return True
        axis = min(open_axes, key=lambda one: (narrowed[one].bit_count(), one))
        choices = (bit for bit in self._bit[axis].values() if bit & narrowed[axis])
        return any(self._solve({**narrowed, axis: bit}, left) for bit in choices)

    def _propagate(self, domains: _Domains, held: _Held) -> tuple[_Domains, _Held]:
        """Domains, and combinations within each budget, without what no rule leaves room for."""
        now, before = dict(domains), None
        while now != before and all(now.values()):
            before = dict(now)
            held = [(axes, within[((within & [now[axis] for axis in axes]) != 0).all(axis=1)]) for axes, within in held]
            for axes, within in held:
                for axis, left in zip(axes, np.bitwise_or.reduce(within, axis=0), strict=True):
                    now[axis] &= int(left)
            for rule in self._rules:
                safe = [axis for axis, banned in rule.items() if now[axis] & ~banned]
                if len(safe) < 2:
                    axis = safe[0] if safe else next(iter(rule))
                    now[axis] &= ~rule[axis]
        return now, held
