"""A mask that selects less than another, and something wherever the other does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stimuli.errors import StimulusError

if TYPE_CHECKING:
    import torch


def fewer(mask: torch.Tensor, relation: str) -> torch.Tensor:
    """Without the first selected block of every query block that selects two or more.

    Args:
        mask: bool [B, Hq, blocks_q, blocks_kv].
        relation: who asks, for the error.

    Returns:
        Another mask of the same shape, in storage of its own.

    Raises:
        StimulusError: no query block selects two.
    """
    several = mask.sum(dim=-1, keepdim=True) > 1
    if not several.any():
        legal = f"one with a query block that selects two KV blocks, with the relation {relation!r}"
        raise StimulusError(argument="mask", value="selects at most one block", legal=legal)
    first = mask & (mask.cumsum(dim=-1) == 1)
    return mask & ~(first & several)
