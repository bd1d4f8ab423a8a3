"""Coverage of one DUT in one run mode: every bin and every pair with its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from stimuli.space import BUDGET, FEASIBLE, IGNORED, UNREACHABLE, Space, classify, listed, over_budget
from verification.coverage.counting import Seen, seen
from verification.runs import Run

COVERED, FAILING, OPEN = "covered", "failing", "open"
"""States of a feasible goal: some case passed; cases met it and none passed; no case met it."""
STATES = (COVERED, FAILING, OPEN, UNREACHABLE, IGNORED, BUDGET)
"""Every state, in the order of tables."""

Bin = tuple[str, str]
"""(axis, bin)."""
Goal = tuple[Bin, ...]


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What the records of a DUT cover in one run mode."""

    dut: str
    run_mode: str
    cases: int
    """Cases that count and in which the kernel ran."""
    bins: Mapping[Bin, str]
    """State by bin, axes and bins in the order of the space."""
    derived: Mapping[Bin, str]
    """``covered``, ``failing`` or ``open`` by bin of an axis that is observed and never generated."""
    pairs: Mapping[Goal, str]
    """State by pair of bins."""
    capacity: Mapping[str, int] = field(default_factory=dict)
    """By capacity rule of the run mode, in words: how many pairs of the state ``budget`` it leaves out on its own;
    under the empty text those that only several rules together do."""

    @property
    def axes(self) -> tuple[str, ...]:
        """Generated axes in the order of the space."""
        return tuple(dict.fromkeys(axis for axis, _ in self.bins))

    def holes(self) -> tuple[Goal, ...]:
        """Pairs that could be covered and are not, those that fail included."""
        return tuple(pair for pair, state in self.pairs.items() if state in (OPEN, FAILING))


def totals(states: Iterable[str]) -> dict[str, int]:
    """How often each state occurs, zeros included."""
    counted = Counter(states)
    return {state: counted[state] for state in STATES}


def share(counted: Mapping[str, int]) -> tuple[int, int]:
    """(covered, what could be covered)."""
    return counted[COVERED], counted[COVERED] + counted[FAILING] + counted[OPEN]


def measure(space: Space, dut: str, run_mode: str, runs: Iterable[Run]) -> Coverage:
    """Evaluates a space from records.

    Args:
        space: the DUT's space.
        dut: its name.
        run_mode: ``sim`` or ``npu``.
        runs: runs of any DUTs and modes; what does not belong is left out.

    Returns:
        The coverage; it depends on the records only, and is the same in whatever order they come.
    """
    found = seen(space, dut, run_mode, runs)
    ran = [one for one in found if one.executed]
    pairs = _states(space, run_mode, 2, ran)
    return Coverage(
        dut=dut,
        run_mode=run_mode,
        cases=len({one.case_id for one in ran}),
        bins={goal[0]: state for goal, state in _states(space, run_mode, 1, ran).items()},
        derived=_derived(space, found),
        pairs=pairs,
        capacity={
            rule: sum(pairs[goal] == BUDGET for goal in goals) for rule, goals in _capacity(space, run_mode).items()
        },
    )


def _states(space: Space, run_mode: str, strength: int, ran: list[Seen]) -> dict[Goal, str]:
    met: dict[Goal, str] = {}
    for one in sorted(ran, key=lambda case: case.passed):
        for axes in combinations(one.bins.items(), strength):
            if all(name is not None for _, name in axes):
                met[tuple((axis, str(name)) for axis, name in axes)] = COVERED if one.passed else FAILING
    # A goal that the rules of a run mode leave out and that a case met all the same is as proved as any other.
    declared = _declared(space, run_mode, strength)
    return {goal: met.get(goal, OPEN if state == FEASIBLE else state) for goal, state in declared}


def _capacity(space: Space, run_mode: str) -> dict[str, list[Goal]]:
    """The pairs that each capacity rule leaves out."""
    key = (space.name, run_mode)
    if key not in _OVER_BUDGET:
        names = [(axis.name, name) for axis in space.axes for name in axis.names]
        _OVER_BUDGET[key] = {
            rule: [tuple(names[number] for number in goal) for goal in listed(goals)]
            for rule, goals in over_budget(space, run_mode, 2).items()
        }
    return _OVER_BUDGET[key]


def _declared(space: Space, run_mode: str, strength: int) -> list[tuple[Goal, str]]:
    key = (space.name, run_mode, strength)
    if key not in _CLASSIFIED:
        names = [(axis.name, name) for axis in space.axes for name in axis.names]
        found = {
            tuple(names[number] for number in goal): state
            for state, goals in classify(space, run_mode, strength).items()
            for goal in listed(goals)
        }
        order = {one: at for at, one in enumerate(names)}
        _CLASSIFIED[key] = sorted(found.items(), key=lambda item: [order[one] for one in item[0]])
    return _CLASSIFIED[key]


_OVER_BUDGET: dict[tuple[str, str], dict[str, list[Goal]]] = {}
_CLASSIFIED: dict[tuple[str, str, int], list[tuple[Goal, str]]] = {}
"""What the rules say of the goals of a space, worked out once a process."""


def _derived(space: Space, found: list[Seen]) -> dict[Bin, str]:
    states: dict[Bin, str] = {(axis.name, name): OPEN for axis in space.derived for name in axis.names}
    for one in sorted(found, key=lambda case: case.passed):
        for axis, name in one.derived.items():
            if name is not None and (axis, name) in states:
                states[axis, name] = COVERED if one.passed else FAILING
    return states
