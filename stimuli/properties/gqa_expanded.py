"""Grouped heads are plain heads with repeated keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.errors import StimulusError
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import HEADS, KEY_INPUTS, QUERY_OUTPUTS
from stimuli.stimulus import Stimulus

NAME = "gqa-expanded"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """Grouped, then with each key head repeated for every query head of its group.

    Raises:
        StimulusError: every query head has a key head of its own already.
    """
    heads_q, heads_kv = base.tensors["query"].shape[HEADS], base.tensors["key"].shape[HEADS]
    if heads_q == heads_kv:
        legal = f"more than heads_kv, with the relation {NAME!r}"
        raise StimulusError(argument="heads_q", value=heads_q, legal=legal)
    yield varied(base)
    repeated = {name: base.tensors[name].repeat_interleave(heads_q // heads_kv, dim=HEADS) for name in KEY_INPUTS}
    yield varied(base, repeated)


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:  # noqa: ARG001
    """Rows of queries are the same; dK and dV are the sums over each group."""
    for name, wanted in outputs[0].items():
        found = outputs[1][name]
        if name in QUERY_OUTPUTS:
            yield Claim(output=name, call=2, found=found, wanted=wanted, factor=1.0)
            continue
        shape = (*wanted.shape[: HEADS + 1], -1, *wanted.shape[HEADS + 1 :])
        groups = found.double().reshape(shape)
        total, size = groups.sum(dim=HEADS + 1), groups.abs().sum(dim=HEADS + 1)
        yield Claim(output=name, call=1, found=wanted, wanted=total, factor=1.0, size=size)


RELATION = Relation(
    name=NAME,
    text="keys repeated for every query head: O, LSE and dQ are the same, dK and dV are sums over the group",
    limit="one rounding of the output; of the summands, for dK and dV, each of which is rounded by itself",
    calls=2,
    variants=variants,
    claims=claims,
)
