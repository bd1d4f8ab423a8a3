"""KV blocks change places, and the mask's columns with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.properties._relation import RELATION as FACT
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import KEY_INPUTS, QUERY_OUTPUTS, mask_of, require_batches, reversed_blocks
from stimuli.stimulus import MASK, Stimulus

NAME = "permute-kv"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """As made, then with the whole KV blocks in reverse order.

    Raises:
        StimulusError: packed, no mask, or fewer than two whole KV blocks.
    """
    require_batches(base, NAME)
    mask = mask_of(base, NAME)
    blocks, tokens = reversed_blocks(base, "kv", NAME)
    yield varied(base)
    moved = {name: base.tensors[name][:, :, tokens] for name in KEY_INPUTS}
    yield varied(base, {**moved, MASK: mask[..., blocks]}, remember={"tokens": tokens})


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """Rows of queries are the same; gradients of keys have moved with them."""
    tokens = facts[1][FACT]["tokens"]
    for name, found in outputs[1].items():
        back = found if name in QUERY_OUTPUTS else found[:, :, tokens]
        yield Claim(output=name, call=2, found=back, wanted=outputs[0][name], factor=1.0)


RELATION = Relation(
    name=NAME,
    text="KV blocks in another order, mask columns with them: the same outputs, dK and dV moved alike",
    limit="one rounding of the output: sums over the keys are taken in another order, in FP32",
    calls=2,
    variants=variants,
    claims=claims,
)
