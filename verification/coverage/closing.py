"""The cases that close what is open: made from the open pairs, and kept only where they will count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from stimuli.case import Case
from stimuli.space import Space
from stimuli.space.topup import top_up
from verification.coverage.measure import OPEN, Coverage

ATTEMPTS = 20
"""Times that what is left open is completed anew."""

Goal = tuple[tuple[str, str], ...]


@runtime_checkable
class Selects(Protocol):
    """A DUT that can tell what a case gives its kernel without making the tensors."""

    def selects(self, case: Case) -> bool:
        """Whether any row has any key to attend to: otherwise the host answers alone, and no launch covers a pair."""


@dataclass(frozen=True, kw_only=True)
class Closing:
    """What closes the open pairs of a DUT."""

    cases: tuple[Case, ...]
    left: tuple[Goal, ...]
    """Open pairs that no case was found for."""


def closing(found: Coverage, space: Space, dut: object, *, prefix: str) -> Closing:
    """The cases that meet every open pair of a DUT. What fails is no matter of more cases.

    A case counts for the pairs that are seen in it once it is made, and only if it gives the kernel something to do.

    Args:
        found: the DUT's coverage.
        space: its space.
        dut: the DUT.
        prefix: of the cases' names, before a number.
    """
    left = dict.fromkeys(goal for goal, state in found.pairs.items() if state == OPEN)
    cases: list[Case] = []
    for attempt in range(ATTEMPTS):
        for row in top_up(space, found.run_mode, left, attempt=attempt):
            case = space.case(found.dut, row, name=f"{prefix}/{len(cases)}")
            seen = space.observe({**space.parameters, **case.params})
            met = [goal for goal in left if all(seen.get(axis) == name for axis, name in goal)]
            if met and (not isinstance(dut, Selects) or dut.selects(case)):
                cases.append(case)
                for goal in met:
                    del left[goal]
        if not left:
            break
    return Closing(cases=tuple(cases), left=tuple(left))
