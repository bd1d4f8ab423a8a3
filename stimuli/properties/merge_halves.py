"""Attention to two halves of the keys, merged through the log-sum-exp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stimuli.errors import StimulusError
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import mask_of
from stimuli.stimulus import MASK, Stimulus

if TYPE_CHECKING:
    import torch

NAME = "merge-halves"
PARTS = 2
SUMMANDS = 2.0
"""Roundings that a sum of two outputs has more than one output has, at most."""


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """All selected blocks, then those of the first half of the KV blocks, then those of the second.

    Raises:
        StimulusError: no mask, or a single KV block.
    """
    mask = mask_of(base, NAME)
    blocks = mask.shape[-1]
    if blocks < PARTS:
        raise StimulusError(argument="seq_kv", value=blocks, legal=f"two KV blocks, with the relation {NAME!r}")
    yield varied(base)
    for first in (True, False):
        half = mask.clone()
        half[..., blocks // PARTS :] &= not first
        half[..., : blocks // PARTS] &= first
        yield varied(base, {MASK: half})


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """O and LSE merge as flash attention's parts do; gradients of given O and LSE add up."""
    whole, first, second = outputs
    if "lse" in whole:
        yield from _merged(whole, first, second)
        return
    for name, found in whole.items():
        parts = first[name].double(), second[name].double()
        size = parts[0].abs() + parts[1].abs()
        yield Claim(output=name, call=1, found=found, wanted=parts[0] + parts[1], factor=SUMMANDS, size=size)


def _merged(whole: Outputs, first: Outputs, second: Outputs) -> Iterator[Claim]:
    one, two = first["lse"].double(), second["lse"].double()
    total = one.logaddexp(two)
    yield Claim(output="lse", call=1, found=whole["lse"], wanted=total, factor=SUMMANDS)
    parts = [_share(lse, total) * out["out"].double() for lse, out in ((one, first), (two, second))]
    size = parts[0].abs() + parts[1].abs()
    yield Claim(output="out", call=1, found=whole["out"], wanted=parts[0] + parts[1], factor=SUMMANDS, size=size)


def _share(part: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """The weight of a part in the whole; 0 in rows that select nothing."""
    return (part - total.nan_to_num(neginf=0.0)).exp().unsqueeze(-1)


RELATION = Relation(
    name=NAME,
    text="attention to each half of the KV blocks, merged through the LSE, is attention to both; gradients add up",
    limit="two roundings of the summands: the output and both parts are rounded by themselves",
    calls=3,
    variants=variants,
    claims=claims,
)
