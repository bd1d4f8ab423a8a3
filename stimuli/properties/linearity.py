"""The output is linear in V, the gradients in dO."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import token_axis
from stimuli.stimulus import Stimulus

if TYPE_CHECKING:
    import torch

STEP = 2.0**-6
"""Multiples of it up to 2 are exact in FP16 and BF16, and so is the sum of two up to 1."""
SUMMANDS = 2.0


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """X, its tokens in reverse order Y, then X + Y; X is dO if there is one, V otherwise, made exact to add."""
    name = "dout" if "dout" in base.tensors else "value"
    first = _coarse(base.tensors[name])
    second = first.flip(token_axis(base))
    for tensor in (first, second, first + second):
        yield varied(base, {name: tensor})


def _coarse(tensor: torch.Tensor) -> torch.Tensor:
    return (tensor.float().clamp(-1.0, 1.0) / STEP).round().mul(STEP).to(tensor.dtype)


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """The outputs add up; the LSE does not depend on V."""
    for name, found in outputs[2].items():
        first, second = outputs[0][name], outputs[1][name]
        if name == "lse":
            yield Claim(output=name, call=3, found=found, wanted=first, factor=0.0)
            continue
        total, size = first.double() + second.double(), first.double().abs() + second.double().abs()
        yield Claim(output=name, call=3, found=found, wanted=total, factor=SUMMANDS, size=size)


RELATION = Relation(
    name="linearity",
    text="the output for V + W is the sum of the outputs; so are the gradients for dO + dO'; the LSE does not change",
    limit="two roundings of the summands, which are rounded by themselves; the LSE is equal, V is no part of it",
    calls=3,
    variants=variants,
    claims=claims,
)
