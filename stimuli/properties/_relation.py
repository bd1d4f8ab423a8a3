"""What a relation between calls is, and what it claims of their outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stimuli.stimulus import Stimulus

if TYPE_CHECKING:
    import torch

EQUAL = 0.0
"""Factor of a claim that allows no difference; 0 and -0 are alike."""
RELATION = "relation"
"""The fact of a stimulus that holds what its relation must remember of it."""

Outputs = Mapping[str, "torch.Tensor"]
"""What one call returned, by name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Claim:
    """Two tensors that should be the same.

    Attributes:
        output: name of the output that is judged.
        call: number of the call that is judged, from 1.
        found: what it returned, brought to the order of ``wanted``.
        wanted: what the relation says it should be; the dtype of the output, or float64.
        factor: how many times the rounding of one output is allowed; :data:`EQUAL` = none at all.
        size: what the rounding is relative to, of the shape of ``wanted``, where that is more than ``wanted`` itself.
    """

    output: str
    call: int
    found: torch.Tensor
    wanted: torch.Tensor
    factor: float
    size: torch.Tensor | None = None


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A relation between calls that every right kernel keeps.

    Attributes:
        name: what a case's program says.
        text: the relation in words.
        limit: how exactly it must hold, and why.
        calls: how many calls it makes.
        variants: (base stimulus, options) -> the stimuli of the calls, in order.
        claims: (outputs, facts) of all calls -> what must be equal.
        options: further words of the program, with their defaults.
    """

    name: str
    text: str
    limit: str
    calls: int
    variants: Callable[[Stimulus, Mapping[str, Any]], Iterator[Stimulus]]
    claims: Callable[[Sequence[Outputs], Sequence[Mapping[str, Any]]], Iterator[Claim]]
    options: Mapping[str, Any] = field(default_factory=dict)


def varied(
    base: Stimulus,
    tensors: Mapping[str, torch.Tensor] | None = None,
    *,
    arguments: Mapping[str, Any] | None = None,
    without: tuple[str, ...] = (),
    remember: Mapping[str, Any] | None = None,
) -> Stimulus:
    """A stimulus with some tensors and arguments replaced; nothing is known of its values any more.

    Args:
        base: the stimulus.
        tensors: by name, in place of those of ``base``.
        arguments: the same of the other arguments.
        without: tensors to leave out.
        remember: what the relation must know to judge the call.
    """
    kept = {**base.tensors, **(tensors or {})}
    return Stimulus(
        tensors={name: tensor for name, tensor in kept.items() if name not in without},
        arguments={**base.arguments, **(arguments or {})},
        facts={**base.facts, "exact": False, "zero": [], RELATION: dict(remember or {})},
    )


def same(outputs: Sequence[Outputs], call: int, *, as_call: int = 1, factor: float = EQUAL) -> Iterator[Claim]:
    """Every output of one call is that of another.

    Args:
        outputs: of all calls.
        call: number of the call that is judged, from 1.
        as_call: number of the call that it should equal.
        factor: see :class:`Claim`.
    """
    for name, found in outputs[call - 1].items():
        yield Claim(output=name, call=call, found=found, wanted=outputs[as_call - 1][name], factor=factor)
