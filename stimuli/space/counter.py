"""An independent recount of what assignments cover. It shares no code with the generator: sets, products, propagation.

The generator compiles rules into tables and marks goals in arrays; this counter reads the rules as they are declared,
keeps a set of bins per axis, and removes bins that some rule leaves no room for until nothing changes, branching where
that does not decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from stimuli.space.axis import Budget, Rule

Goal = tuple[tuple[str, str], ...]
"""(axis, bin) pairs, axes in the order of the space."""
_Domains = dict[str, tuple[str, ...]]
_Held = list[tuple[tuple[str, ...], list[tuple[str, ...]]]]
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
        self._bins = {axis: tuple(names) for axis, names in bins.items()}
        self._rules = [rule for rule in rules if isinstance(rule, Rule)]
        self._held = [(one.axes, self._within(one)) for one in rules if isinstance(one, Budget)]
        self._known: dict[Goal, bool] = {}

    def possible(self, goal: Goal) -> bool:
        """Whether an assignment exists that meets the goal and breaks no rule."""
        if goal not in self._known:
            parts = combinations(goal, len(goal) - 1) if len(goal) > 1 else ()
            self._known[goal] = all(self.possible(part) for part in parts) and self._solve(
                {**self._bins, **{axis: (name,) for axis, name in goal}}
            )
        return self._known[goal]

    def _within(self, budget: Budget) -> list[tuple[str, ...]]:
        combined = product(*(self._bins[axis] for axis in budget.axes))
        return [one for one in combined if not budget.excludes(dict(zip(budget.axes, one, strict=True)))]

    def _solve(self, domains: _Domains, held: _Held | None = None) -> bool:
        narrowed, left = self._propagate(domains, self._held if held is None else held)
        if not all(narrowed.values()):
            return False
        undecided = [rule for rule in self._rules if self._matters(rule, narrowed)]
        open_axes = {axis for rule in undecided for axis in rule.where if len(narrowed[axis]) > 1}
        open_axes |= {axis for axes, _ in left for axis in axes if len(narrowed[axis]) > 1}
        if not open_axes:
            return True
        axis = min(open_axes, key=lambda one: (len(narrowed[one]), one))
        return any(self._solve({**narrowed, axis: (name,)}, left) for name in narrowed[axis])

    @staticmethod
    def _matters(rule: Rule, domains: _Domains) -> bool:
        """Whether a rule can still be broken."""
        return all(any(name in names for name in domains[axis]) for axis, names in rule.where.items())

    def _propagate(self, domains: _Domains, held: _Held) -> tuple[_Domains, _Held]:
        """Domains, and combinations within each budget, without what no rule leaves room for."""
        now = dict(domains)
        changed = True
        while changed and all(now.values()):
            changed = False
            held = [(axes, self._fitting(axes, within, now)) for axes, within in held]
            for axes, within in held:
                for at, axis in enumerate(axes):
                    left = {one[at] for one in within}
                    changed |= self._narrow(now, axis, tuple(name for name in now[axis] if name in left))
            for rule in self._rules:
                safe = [axis for axis, names in rule.where.items() if not set(now[axis]) <= set(names)]
                if len(safe) < 2:
                    axis = safe[0] if safe else next(iter(rule.where))
                    banned = rule.where[axis]
                    changed |= self._narrow(now, axis, tuple(name for name in now[axis] if name not in banned))
        return now, held

    @staticmethod
    def _fitting(axes: tuple[str, ...], within: list[tuple[str, ...]], domains: _Domains) -> list[tuple[str, ...]]:
        sets = [set(domains[axis]) for axis in axes]
        return [one for one in within if all(name in names for name, names in zip(one, sets, strict=True))]

    @staticmethod
    def _narrow(domains: _Domains, axis: str, names: tuple[str, ...]) -> bool:
        changed = len(names) < len(domains[axis])
        domains[axis] = names
        return changed
