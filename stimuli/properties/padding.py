"""What memory holds beyond the actual lengths does not matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stimuli.errors import StimulusError
from stimuli.properties._relation import Claim, Outputs, Relation, same, varied
from stimuli.properties._sides import KEY_INPUTS, QUERY_INPUTS, lengths, packed
from stimuli.stimulus import Stimulus

if TYPE_CHECKING:
    import torch

NAME = "padding-poison"
NAN, INF = float("nan"), float("inf")
CONTENTS: Mapping[str, tuple[float, ...]] = {"q": (0.0, NAN, 1e3), "kv": (0.0, NAN, INF)}
"""What lies beyond the lengths of queries and of keys, call by call."""
CALLS = 3


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """The same valid rows; beyond them 0, then NaN, then 1e3 in inputs of queries and Inf in those of keys.

    Raises:
        StimulusError: there is nothing beyond the lengths.
    """
    sides = {**dict.fromkeys(QUERY_INPUTS, "q"), **dict.fromkeys(KEY_INPUTS, "kv")}
    named = {name: side for name, side in sides.items() if name in base.tensors}
    if not any(_beyond(base, base.tensors[name], side) for name, side in named.items()):
        raise StimulusError(argument="lengths_q", value=None, legal=f"shorter than S, with the relation {NAME!r}")
    for call in range(CALLS):
        poisoned = {}
        for name, side in named.items():
            poisoned[name] = base.tensors[name].clone()
            for rows in _beyond(base, poisoned[name], side):
                rows.fill_(CONTENTS[side][call])
        yield varied(base, poisoned)


def _beyond(base: Stimulus, tensor: torch.Tensor, side: str) -> list[torch.Tensor]:
    """Views of the rows at or beyond the lengths, empty ones left out."""
    actual = lengths(base, side)
    views = [tensor[sum(actual) :]] if packed(base) else [tensor[b, :, n:] for b, n in enumerate(actual)]
    return [view for view in views if view.numel()]


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """Every call returns what the one with zeros did."""
    for call in range(2, CALLS + 1):
        yield from same(outputs, call)


RELATION = Relation(
    name=NAME,
    text="0, NaN, or Inf and 1e3 beyond the actual lengths, in every input: the outputs are the same",
    limit="equal: the numbers that count and their order are the same",
    calls=CALLS,
    variants=variants,
    claims=claims,
)
