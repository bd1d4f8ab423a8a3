"""KV blocks that nobody selects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stimuli.masks import random
from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(grid: Grid, stream: Stream, *, density: float, columns: Sequence[int] = (-1,)) -> npt.NDArray[np.bool_]:
    """As ``random``, but no query block selects the KV blocks ``columns`` (negative numbers from the end).

    A query block left with nothing selects the first KV block that is not among them, if there is one.
    """
    mask = random.make(grid, stream, density=density)
    banned = {column % grid.blocks_kv for column in columns if -grid.blocks_kv <= column < grid.blocks_kv}
    mask[..., sorted(banned)] = False
    free = [column for column in range(grid.blocks_kv) if column not in banned]
    if free:
        mask[..., free[0]] |= ~mask.any(axis=-1)
    return mask


if __name__ == "__main__":
    show(make, density=0.3)
