"""Another pattern for every head."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stimuli.masks import block_causal, column, dense, diagonal, random
from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream

_CYCLE: tuple[Callable[..., npt.NDArray[np.bool_]], ...] = (
    random.make,
    diagonal.make,
    dense.make,
    block_causal.make,
    column.make,
)


def make(grid: Grid, stream: Stream, *, density: float) -> npt.NDArray[np.bool_]:
    """Head h has pattern h of the cycle random, diagonal, dense, block-causal, column."""
    mask = np.zeros(grid.shape, dtype=np.bool_)
    for start, pattern in enumerate(_CYCLE):
        heads = slice(start, None, len(_CYCLE))
        mask[:, heads] = pattern(grid, stream, density=density)[:, heads]
    return mask


if __name__ == "__main__":
    show(make, density=0.3)
