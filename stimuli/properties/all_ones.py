"""A mask that selects everything is no mask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.properties._relation import Claim, Outputs, Relation, same, varied
from stimuli.properties._sides import mask_of
from stimuli.stimulus import MASK, Stimulus

NAME = "all-ones"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """A mask of ones, then none.

    Raises:
        StimulusError: there is no mask.
    """
    yield varied(base, {MASK: mask_of(base, NAME).clone().fill_(True)})
    yield varied(base, without=(MASK,))


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """Both are the same."""
    yield from same(outputs, 2)


RELATION = Relation(
    name=NAME,
    text="a mask of ones gives what no mask gives",
    limit="equal: the same blocks in the same order",
    calls=2,
    variants=variants,
    claims=claims,
)
