"""Blocks drawn one by one; every query block selects at least one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(grid: Grid, stream: Stream, *, density: float) -> npt.NDArray[np.bool_]:
    """Each block is selected with probability ``density``; a query block left with none gets one at random."""
    threshold = round(density * 0x10000)
    drawn = stream.child("blocks").halves(int(np.prod(grid.shape))).astype(np.int64)
    mask = (drawn < threshold).reshape(grid.shape)
    if grid.blocks_kv:
        spare = stream.child("spare").integers(int(np.prod(grid.shape[:3])), grid.blocks_kv).reshape(grid.shape[:3])
        b, h, i = np.nonzero(~mask.any(axis=-1))
        mask[b, h, i, spare[b, h, i]] = True
    return mask


if __name__ == "__main__":
    show(make, density=0.3)
