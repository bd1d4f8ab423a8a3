"""A given number of KV blocks per query block: remainders of unrolled loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(
    grid: Grid,
    stream: Stream,
    *,
    density: float = 1.0,  # noqa: ARG001 - one signature
    counts: Sequence[int] = (1, 2, 3, 5, 7),
) -> npt.NDArray[np.bool_]:
    """Query block i of head h selects ``counts[(i + h) % len(counts)]`` KV blocks at random places."""
    keys = stream.words(int(np.prod(grid.shape))).reshape(grid.shape)
    rank = np.argsort(np.argsort(keys, axis=-1, kind="stable"), axis=-1, kind="stable")
    turn = np.arange(grid.blocks_q)[None, :] + np.arange(grid.heads)[:, None]
    wanted = np.asarray(counts, dtype=np.int64)[turn % len(counts)]
    return np.asarray(rank < wanted[None, :, :, None], dtype=np.bool_)


if __name__ == "__main__":
    show(make)
