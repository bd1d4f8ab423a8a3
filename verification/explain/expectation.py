"""What the variables of a kernel should hold, as a DUT says it, and what counts as something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import torch

from verification.explain.values import Value


@dataclass
class Context:
    """What a dataflow is asked with."""

    kernel: str = ""
    """The kernel launched, for a call that launches several."""
    loops: tuple[str, ...] = ()
    """Names of the loops around."""
    first: bool = True
    """Whether the innermost loop is at its first iteration."""
    alias: Mapping[str, str] = field(default_factory=dict)
    """What the caller of an inlined function calls its parameters."""
    operation: str = ""
    """The operation that gave the result: its name, or ``view``, ``assemble``, ``move``."""
    written: torch.Tensor | None = None
    """int64: which rows of an argument are written, if the result is."""
    known: dict[str, torch.Tensor] = field(default_factory=dict)
    """Right values, by variable."""
    found: dict[str, Value] = field(default_factory=dict)
    """The launch's values, by variable."""


class MisplacedError(Exception):
    """Rows are missing or stand where they do not belong."""


class Dataflow(Protocol):
    """What the variables of a kernel should hold."""

    tolerance: float
    """Error that rounding may leave, relative to the largest of a row."""
    floor: float
    """Error that rounding may leave in a row of the smallest numbers."""

    def expect(self, name: str, found: Value, context: Context) -> torch.Tensor | None:
        """The right value of a variable: NaN where nothing may stand; None if nothing is said about it.

        Args:
            name: the variable as the kernel's outermost caller names it, or ``->name`` for what is written to one.
            found: what the launch computed, with where its rows come from.
            context: everything before.

        Raises:
            MisplacedError: rows are missing or stand in a wrong place; its text says which.
            KeyError: it rests on a variable of which nothing is known: then nothing is said about it either.
        """
        ...


def first_wrong(
    found: torch.Tensor, expected: torch.Tensor, *, tolerance: float, floor: float
) -> tuple[int, int] | None:
    """The first element that is not what it should be; None if all are.

    Args:
        found: float64, two axes.
        expected: the same shape; NaN and infinities must be met exactly.
        tolerance: error that rounding may leave, relative to the largest finite element of a row.
        floor: error that it may leave at least.
    """
    real = torch.where(torch.isfinite(expected), expected, torch.zeros(()).double())
    room = tolerance * real.abs().amax(dim=-1, keepdim=True) + floor
    wrong = ((found - expected).abs() > room) | (torch.isnan(found) != torch.isnan(expected))
    wrong &= ~((found == expected) & torch.isinf(expected))
    wrong |= torch.isinf(found) & (found != expected)
    if not bool(wrong.any()):
        return None
    row, column = (int(one) for one in wrong.nonzero()[0])
    return row, column
