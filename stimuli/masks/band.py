"""Blocks near the diagonal of tokens: a sliding window."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(
    grid: Grid,
    stream: Stream,  # noqa: ARG001 - one signature
    *,
    density: float = 1.0,  # noqa: ARG001 - one signature
    width: int = 256,
) -> npt.NDArray[np.bool_]:
    """Selects the KV blocks that hold a token within ``width`` tokens of one of the query block's.

    A query block beyond the last KV token selects the last KV block.
    """
    i = np.arange(grid.blocks_q)[:, None]
    j = np.arange(grid.blocks_kv)[None, :]
    first = np.minimum(i * grid.block_q, max(grid.seq_kv - 1, 0))
    last = np.minimum((i + 1) * grid.block_q, grid.seq_q) - 1
    near = (j * grid.block_kv <= last + width) & ((j + 1) * grid.block_kv > first - width)
    return np.broadcast_to(near, grid.shape).copy()


if __name__ == "__main__":
    show(make)
