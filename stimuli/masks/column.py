"""The same few KV blocks for every query block: attention sinks."""

from __future__ import annotations

from collections.abc import Sequence

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
    columns: Sequence[int] = (0,),
) -> npt.NDArray[np.bool_]:
    """Selects the KV blocks ``columns`` (negative numbers from the end) and nothing else."""
    mask = np.zeros(grid.shape, dtype=np.bool_)
    for column in columns:
        if -grid.blocks_kv <= column < grid.blocks_kv:
            mask[..., column] = True
    return mask


if __name__ == "__main__":
    show(make)
