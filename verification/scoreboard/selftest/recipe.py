"""How an emulated kernel computes: what engineers may choose freely, and what must not be."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One way to compute attention. The defaults are right; the second half of the fields are faults."""

    tile: int = 128
    """Keys taken at a time by the online softmax."""
    backwards: bool = False
    """Tiles from the last to the first."""
    depth: int = 1 << 30
    """Keys whose products with V go into the accumulator at once."""
    normalise_first: bool = False
    """P divided by its sum before it is rounded and multiplied by V (needs the whole row at once)."""
    base_two: bool = False
    """exp2 of logits that are scaled by log2(e), as many kernels do."""
    wide_probabilities: bool = False
    """P stays in FP32."""

    score_dtype: torch.dtype = torch.float32
    """Scores are rounded to it."""
    probability_dtype: torch.dtype | None = None
    """P is rounded to it; None = the inputs' dtype."""
    accumulator_dtype: torch.dtype = torch.float32
    """O is accumulated in it, ``depth`` keys at a time."""
    sum_dtype: torch.dtype = torch.float32
    """The row sum is kept in it."""
    scale_dtype: torch.dtype = torch.float32
    """The scale is stored in it."""
    scale_factor: float = 1.0
    """The scale is multiplied by it."""
    rescale: bool = True
    """O and the row sum are rescaled when the maximum grows."""
    least_logit: float = float("-inf")
    """What the running maximum starts from, and what masked logits are."""
    padded_keys: bool = False
    """Keys from the actual length to the end of the tile are attended, as zeros."""
    lost_keys: int = 0
    """The last keys within the length are not attended."""
    tiles_once: bool = True
    """False = the first tile is counted twice."""
    head_map: str = "divide"
    """``divide``: KV head = head // group; ``modulo``: head % KV heads."""
    mask_shift: int = 0
    """Query block i uses the mask row of block i - shift."""
    fill_empty: bool = True
    """Rows that select nothing are 0 and -Inf; otherwise the mean of V over their batch's keys."""


RIGHT = {
    "tile 128": Recipe(),
    "tile 64": Recipe(tile=64),
    "tile 32 backwards": Recipe(tile=32, backwards=True),
    "whole row": Recipe(tile=1 << 30),
    "whole row by 64, P normalised": Recipe(tile=1 << 30, normalise_first=True, depth=64),
    "tile 128, base 2": Recipe(base_two=True),
    "tile 128, P in FP32": Recipe(wide_probabilities=True),
}
"""Kernels that must pass."""
REFERENCE = Recipe(tile=1 << 30, normalise_first=True)
"""The same-precision reference: the whole row at once, P divided by its sum before it is rounded."""
