"""Which axis of which tensor is what: all that the relations know of attention."""

from __future__ import annotations

from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

from stimuli.errors import StimulusError
from stimuli.stimulus import MASK, Stimulus

if TYPE_CHECKING:
    import torch

QUERY_INPUTS = ("query", "dout", "attention_out", "softmax_lse")
"""Inputs with a row per query; the others but the mask have one per key."""
KEY_INPUTS = ("key", "value")
QUERY_OUTPUTS = ("out", "lse", "dq")
"""Outputs with a row per query; ``dk`` and ``dv`` have one per key."""
HEADS = 1
"""The axis of heads, in BNSD and in TND."""


def packed(stimulus: Stimulus) -> bool:
    """Whether batches lie one after another without an axis of their own (TND)."""
    return bool(stimulus.arguments["layout"] == "TND")


def token_axis(stimulus: Stimulus) -> int:
    """The axis of tokens of every input but the mask."""
    return 0 if packed(stimulus) else 2


def require_batches(stimulus: Stimulus, relation: str) -> None:
    """Refuses packed stimuli.

    Raises:
        StimulusError: the layout is not one with an axis of batches.
    """
    if packed(stimulus):
        raise StimulusError(argument="layout", value="TND", legal=f"BNSD with the relation {relation!r}")


def mask_of(stimulus: Stimulus, relation: str) -> torch.Tensor:
    """The mask.

    Raises:
        StimulusError: there is none.
    """
    if MASK not in stimulus.tensors:
        raise StimulusError(argument="mask", value="none", legal=f"a mask, with the relation {relation!r}")
    return stimulus.tensors[MASK]


def lengths(stimulus: Stimulus, side: str) -> list[int]:
    """Actual lengths of every batch on one side, ``q`` or ``kv``."""
    given = stimulus.arguments["actual_seq_lengths" if side == "q" else "actual_seq_lengths_kv"]
    if given is not None:
        return list(given)
    tensor = stimulus.tensors["query" if side == "q" else "key"]
    return [tensor.shape[2]] * tensor.shape[0]


def starts(stimulus: Stimulus, side: str) -> list[int]:
    """First token of every batch in a packed tensor."""
    return [0, *accumulate(lengths(stimulus, side))][:-1]


def whole_blocks(stimulus: Stimulus, side: str) -> int:
    """Blocks that lie within every batch's length: the ones that may change places."""
    size = stimulus.arguments["block_shape"][0 if side == "q" else 1]
    return int(min(lengths(stimulus, side)) // size)


def reversed_blocks(stimulus: Stimulus, side: str, relation: str) -> tuple[list[int], list[int]]:
    """A permutation of blocks that reverses those within every batch's length and leaves the rest.

    Returns:
        The permutation of blocks, and that of tokens; each is its own inverse.

    Raises:
        StimulusError: fewer than two blocks can change places.
    """
    whole, size = whole_blocks(stimulus, side), stimulus.arguments["block_shape"][0 if side == "q" else 1]
    total = stimulus.tensors["query" if side == "q" else "key"].shape[2]
    if whole < 2:
        raise StimulusError(
            argument=f"seq_{side}", value=total, legal=f"two blocks of {size} or more, with the relation {relation!r}"
        )
    blocks = [*reversed(range(whole)), *range(whole, ceil(total / size))]
    tokens = [block * size + row for block in blocks[:whole] for row in range(size)]
    return blocks, [*tokens, *range(whole * size, total)]
