"""A head alone gives what it gives among others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stimuli.errors import StimulusError
from stimuli.properties._relation import RELATION as FACT
from stimuli.properties._relation import Claim, Outputs, Relation, varied
from stimuli.properties._sides import HEADS, KEY_INPUTS, QUERY_INPUTS, QUERY_OUTPUTS
from stimuli.properties.batch_slice import cut
from stimuli.stimulus import MASK, Stimulus

NAME = "head-slice"


def variants(base: Stimulus, options: Mapping[str, Any]) -> Iterator[Stimulus]:  # noqa: ARG001 - one signature
    """All heads, then the last key head with its group, then the last query head of the first group alone.

    Raises:
        StimulusError: there is one query head only.
    """
    heads_q, heads_kv = base.tensors["query"].shape[HEADS], base.tensors["key"].shape[HEADS]
    if heads_q < 2:
        raise StimulusError(argument="heads_q", value=heads_q, legal=f"an integer from 2, with the relation {NAME!r}")
    group = heads_q // heads_kv
    yield varied(base)
    yield some_heads(base, query=(heads_q - group, heads_q), key=(heads_kv - 1, heads_kv))
    yield some_heads(base, query=(group - 1, group), key=(0, 1))


def some_heads(base: Stimulus, *, query: tuple[int, int], key: tuple[int, int]) -> Stimulus:
    """Some query heads and their key heads of a stimulus.

    Args:
        base: the stimulus.
        query: first and last + 1 of the query heads.
        key: the same of the key heads.

    Returns:
        A stimulus of these heads; its fact says where they lie in ``base``: {"q": …, "kv": …}.
    """
    where = {"q": (HEADS, *query), "kv": (HEADS, *key)}
    sides = {**dict.fromkeys((*QUERY_INPUTS, MASK), "q"), **dict.fromkeys(KEY_INPUTS, "kv")}
    tensors = {name: cut(base.tensors[name], where[side]) for name, side in sides.items() if name in base.tensors}
    return varied(base, tensors, remember=where)


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """The heads alone are their part of all; dK and dV only where the whole group is there."""
    for call in (2, 3):
        for name, found in outputs[call - 1].items():
            side = "q" if name in QUERY_OUTPUTS else "kv"
            if side == "kv" and call == 3:
                continue
            wanted = cut(outputs[0][name], facts[call - 1][FACT][side])
            yield Claim(output=name, call=call, found=found, wanted=wanted, factor=1.0)


RELATION = Relation(
    name=NAME,
    text="the last key head with its group, and one query head alone, give what they give among others",
    limit="one rounding of the output: a kernel may divide a row's keys otherwise when there are fewer heads",
    calls=3,
    variants=variants,
    claims=claims,
)
