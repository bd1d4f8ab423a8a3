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
    """All heads, then the last key head with its group; with one key head only, then the last query head alone.

    Raises:
        StimulusError: there is one query head only.
    """
    heads_q, heads_kv = base.tensors["query"].shape[HEADS], base.tensors["key"].shape[HEADS]
    if heads_q < 2:
        raise StimulusError(argument="heads_q", value=heads_q, legal=f"an integer from 2, with the relation {NAME!r}")
    group = heads_q // heads_kv
    yield varied(base)
    first = heads_q - (group if heads_kv > 1 else 1)
    yield some_heads(base, query=(first, heads_q), key=(heads_kv - 1, heads_kv), whole=heads_kv > 1)


def some_heads(base: Stimulus, *, query: tuple[int, int], key: tuple[int, int], whole: bool) -> Stimulus:
    """Some query heads and their key heads of a stimulus.

    Args:
        base: the stimulus.
        query: first and last + 1 of the query heads.
        key: the same of the key heads.
        whole: whether these are all query heads of their key heads, so that dK and dV are theirs.

    Returns:
        A stimulus of these heads; its fact says where they lie in ``base``: {"q": …, "kv": …}.
    """
    where = {"q": (HEADS, *query), "kv": (HEADS, *key)}
    sides = {**dict.fromkeys((*QUERY_INPUTS, MASK), "q"), **dict.fromkeys(KEY_INPUTS, "kv")}
    tensors = {name: cut(base.tensors[name], where[side]) for name, side in sides.items() if name in base.tensors}
    return varied(base, tensors, remember={**where, "whole": whole})


def claims(outputs: Sequence[Outputs], facts: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """The heads alone are their part of all; dK and dV only where the whole group is there."""
    where = facts[1][FACT]
    for name, found in outputs[1].items():
        side = "q" if name in QUERY_OUTPUTS else "kv"
        if side == "q" or where["whole"]:
            yield Claim(output=name, call=2, found=found, wanted=cut(outputs[0][name], where[side]), factor=1.0)


RELATION = Relation(
    name=NAME,
    text="the last key head with its group, or the last query head alone, gives what it gives among others",
    limit="one rounding of the output: a kernel may divide a row's keys otherwise when there are fewer heads",
    calls=2,
    variants=variants,
    claims=claims,
)
