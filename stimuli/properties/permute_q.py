"""Query blocks change places, and the mask's rows with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.properties._relation import RELATION as FACT
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import QUERY_INPUTS, QUERY_OUTPUTS, mask_of, require_batches, reversed_blocks
from stimuli.stimulus import MASK, Stimulus

NAME = "permute-q"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """As made, then with the whole query blocks in reverse order.

    Raises:
        StimulusError: packed, no mask, or fewer than two whole query blocks.
    """
    require_batches(base, NAME)
    mask = mask_of(base, NAME)
    blocks, tokens = reversed_blocks(base, "q", NAME)
    yield varied(base)
    moved = {name: base.tensors[name][:, :, tokens] for name in QUERY_INPUTS if name in base.tensors}
    yield varied(base, {**moved, MASK: mask[:, :, blocks]}, remember={"tokens": tokens})


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """Rows of queries have moved; gradients of keys are the same."""
    tokens = facts[1][FACT]["tokens"]
    for name, found in outputs[1].items():
        back = found[:, :, tokens] if name in QUERY_OUTPUTS else found
        yield Claim(output=name, call=2, found=back, wanted=outputs[0][name], factor=1.0)


RELATION = Relation(
    name=NAME,
    text="query blocks in another order, mask rows with them: O, LSE and dQ moved alike, dK and dV the same",
    limit="one rounding of the output: dK and dV add the query blocks in another order, in FP32",
    calls=2,
    variants=variants,
    claims=claims,
)
