"""The same call twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.properties._relation import Claim, Outputs, Relation, same, varied
from stimuli.stimulus import Stimulus

CALLS = 2


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """The same tensors each time."""
    for _ in range(CALLS):
        yield varied(base)


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """Every call returns what the first did."""
    for call in range(2, CALLS + 1):
        yield from same(outputs, call)


RELATION = Relation(
    name="repeat",
    text="the same call twice gives the same twice",
    limit="equal: the same numbers in the same order; a kernel whose order is left to chance fails here",
    calls=CALLS,
    variants=variants,
    claims=claims,
)
