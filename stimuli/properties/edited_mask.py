"""A mask that was edited in place counts as it is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.properties._other_mask import fewer
from stimuli.properties._relation import Claim, Outputs, Relation, same, varied
from stimuli.properties._sides import mask_of
from stimuli.stimulus import MASK, Stimulus

NAME = "edited-mask"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """A mask; the same storage overwritten with another; the other one in storage of its own.

    Raises:
        StimulusError: there is no mask, or no query block selects two blocks.
    """
    mask = mask_of(base, NAME).clone()
    other = fewer(mask, NAME)
    yield varied(base, {MASK: mask})
    mask.copy_(other)
    yield varied(base, {MASK: mask})
    yield varied(base, {MASK: other})


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """The edited mask gives what a new one with the same contents gives."""
    yield from same(outputs, 2, as_call=3)


RELATION = Relation(
    name=NAME,
    text="a mask overwritten in place gives what a new mask with these contents gives",
    limit="equal: the same numbers in the same order",
    calls=3,
    variants=variants,
    claims=claims,
)
