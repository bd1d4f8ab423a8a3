"""A call does not depend on the calls before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.properties._other_mask import fewer
from stimuli.properties._relation import Claim, Outputs, Relation, same, varied
from stimuli.stimulus import MASK, Stimulus

NAME = "history"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """A, B, A, where B has other values, another scale, and a mask that selects less."""
    scale = base.arguments["scale"]
    tensors = {name: base.tensors[name].flip(-1) for name in ("value", "dout") if name in base.tensors}
    tensors["key"] = -base.tensors["key"]
    if MASK in base.tensors:
        tensors[MASK] = fewer(base.tensors[MASK], NAME)
    doubled = 2.0 * (base.tensors["query"].shape[-1] ** -0.5 if scale is None else scale)
    first, second = varied(base), varied(base, tensors, arguments={"scale": doubled})
    yield from (first, second, first)


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """A after B is A before it."""
    yield from same(outputs, 3)


RELATION = Relation(
    name=NAME,
    text="calls A, B, A: the second A gives what the first did, whatever was called between",
    limit="equal: the same numbers in the same order",
    calls=3,
    variants=variants,
    claims=claims,
)
