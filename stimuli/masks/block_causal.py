"""Blocks at or before the query block: causal attention, rounded up to blocks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(grid: Grid, stream: Stream, *, density: float = 1.0) -> npt.NDArray[np.bool_]:  # noqa: ARG001 - one signature
    """Selects the KV blocks that begin at or before the query block's last token."""
    last = np.minimum((np.arange(grid.blocks_q)[:, None] + 1) * grid.block_q, grid.seq_q) - 1
    causal = np.arange(grid.blocks_kv)[None, :] * grid.block_kv <= last
    return np.broadcast_to(causal, grid.shape).copy()


if __name__ == "__main__":
    show(make)
