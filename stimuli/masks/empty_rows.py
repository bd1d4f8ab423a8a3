"""Query blocks that select nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stimuli.masks import random
from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(grid: Grid, stream: Stream, *, density: float, rows: Sequence[int] = (0,)) -> npt.NDArray[np.bool_]:
    """As ``random``, but the query blocks ``rows`` (negative numbers from the end) select nothing."""
    mask = random.make(grid, stream, density=density)
    for row in rows:
        if -grid.blocks_q <= row < grid.blocks_q:
            mask[:, :, row] = False
    return mask


if __name__ == "__main__":
    show(make, density=0.3)
