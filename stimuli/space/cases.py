"""Covering arrays as cases, the likeliest and cheapest to fail first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import overload

from stimuli.case import Case
from stimuli.space.axis import Assignment, Space
from stimuli.space.capacity import logits, query_units
from stimuli.space.frozen import assignments

NAMES = {2: "pairwise", 3: "triples"}
"""The suite of each strength."""
_UNITS, _LOGITS = 10.0, float(1 << 18)
"""Query blocks, and logits, that cost as much as starting a case does."""


def covering_cases(space: Space, dut: str, strength: int) -> tuple[Case, ...]:
    """The cases of a covering array.

    Args:
        space: the space.
        dut: the DUT they are for.
        strength: 2 or 3.

    Returns:
        One case per row of the array, named by the row's number, those first that promise most failures per second.
    """
    rows = list(enumerate(assignments(space, strength)))
    rows.sort(key=lambda row: -promise(space, row[1]))
    return tuple(space.case(dut, row, name=f"{NAMES[strength]}/{number}") for number, row in rows)


class Later(Sequence[Case]):
    """Cases that are made when somebody looks at them: thousands would slow every command down.

    Args:
        make: makes all of them.
    """

    def __init__(self, make: Callable[[], tuple[Case, ...]]) -> None:
        self._make = make

    @cached_property
    def _cases(self) -> tuple[Case, ...]:
        return self._make()

    @overload
    def __getitem__(self, at: int) -> Case: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Case, ...]: ...
    def __getitem__(self, at: int | slice) -> Case | tuple[Case, ...]:
        return self._cases[at]

    def __len__(self) -> int:
        return len(self._cases)


def promise(space: Space, assignment: Assignment) -> float:
    """How much a case risks to fail for what it costs; both are declared, neither is measured."""
    risk = sum(axis.bin(assignment[axis.name]).risk for axis in space.axes)
    return risk / (1.0 + query_units(assignment) / _UNITS + logits(assignment) / _LOGITS)
