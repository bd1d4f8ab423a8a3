"""What a space is made of: bins of axes, and combinations that do not exist or are not wanted. All of it is data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stimuli.case import Case, case
from stimuli.errors import StimulusError

Assignment = Mapping[str, str]
"""One bin's name for every axis, or for some of them."""

STIMULUS, IMPLEMENTATION = "stimulus", "implementation"
"""Kinds of generated axes: what a caller chooses, what an engineer tunes."""
ILLEGAL, IGNORED, BUDGET = "illegal", "ignored", "budget"
"""Kinds of rules, the strongest first."""
NIGHT = "sim by night"
"""Capacity rules of ``triples`` and ``soak``, which may cost more than a case by day."""


@dataclass(frozen=True, kw_only=True)
class Bin:
    """A class of values of one axis."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    """Case parameters that this bin sets; those that depend on other axes are made by the space."""
    weight: float = 1.0
    """How often soak draws it, relative to the other bins of its axis."""
    risk: float = 0.0
    """How much likelier a case of this bin is to find a fault than one of the first bin: decides the order of cases."""
    since: int = 1
    """The edition that brought it. Soak cases of earlier editions do not know it, and so keep their ids."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One dimension of the stimulus space. Its first bin is the default, which leaves every parameter at its own."""

    name: str
    text: str
    bins: tuple[Bin, ...]
    kind: str = STIMULUS
    since: int = 1
    """The edition that brought the axis; earlier soak cases have its default."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bins, in order."""
        return tuple(one.name for one in self.bins)

    def bin(self, name: str) -> Bin:
        """One bin by name.

        Raises:
            StimulusError: the axis has no such bin.
        """
        for one in self.bins:
            if one.name == name:
                return one
        raise StimulusError(argument=self.name, value=name, legal=f"one of {', '.join(self.names)}")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Combinations of bins that are left out: the product of the bins named."""

    kind: str
    """``illegal``: the contract refuses it. ``ignored``: it would say nothing."""
    where: Mapping[str, tuple[str, ...]]
    """Bins by axis; a case is excluded if every axis here has one of its bins."""
    reason: str
    """``illegal``: the rule of :data:`bsa.contract.RULES`; otherwise why, in words."""

    def excludes(self, assignment: Assignment) -> bool:
        """Whether an assignment that names all axes of this rule is left out."""
        return all(assignment[axis] in bins for axis, bins in self.where.items())


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What cases of one run mode may cost: a bound on a number that some axes decide."""

    name: str
    axes: tuple[str, ...]
    measure: Callable[[Assignment], float]
    limit: float
    text: str
    kind: str = BUDGET

    def excludes(self, assignment: Assignment) -> bool:
        """Whether an assignment that names all axes of this budget is over its limit."""
        return self.measure(assignment) > self.limit


@dataclass(frozen=True, kw_only=True)
class Derived:
    """An axis that is observed and never generated."""

    name: str
    text: str
    names: tuple[str, ...]
    """Names of its bins."""
    observe: Callable[[Mapping[str, Any], Mapping[str, Any]], str | None]
    """(complete parameters, facts of the record) -> bin, or None where it cannot be told."""


@dataclass(frozen=True, kw_only=True)
class Space:
    """The stimulus space of one kind of DUT."""

    name: str
    parameters: Mapping[str, Any]
    """Frozen defaults of the case parameters."""
    axes: tuple[Axis, ...]
    rules: tuple[Rule, ...]
    budgets: Mapping[str, tuple[Budget, ...]]
    """Capacity rules by run mode, and those of :data:`NIGHT`."""
    build: Callable[[Assignment], dict[str, Any]]
    """Complete assignment -> case parameters."""
    observe: Callable[[Mapping[str, Any]], dict[str, str | None]]
    """Case parameters -> bin of every generated axis; None where the value lies in no bin."""
    derived: tuple[Derived, ...] = ()

    def axis(self, name: str) -> Axis:
        """One axis by name.

        Raises:
            StimulusError: the space has no such axis.
        """
        for one in self.axes:
            if one.name == name:
                return one
        raise StimulusError(argument="axis", value=name, legal=f"one of {', '.join(axis.name for axis in self.axes)}")

    def case(self, dut: str, assignment: Assignment, *, name: str = "", source: str = "") -> Case:
        """The case that a complete assignment stands for.

        Args:
            dut: the DUT it is for.
            assignment: a bin for every axis.
            name: what people call it.
            source: where it comes from.
        """
        return case(dut, self.parameters, name=name, source=source, **self.build(assignment))

    def defaults(self) -> dict[str, str]:
        """The first bin of every axis."""
        return {axis.name: axis.names[0] for axis in self.axes}
