"""Blocks on the diagonal of tokens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.masks import band
from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(grid: Grid, stream: Stream, *, density: float = 1.0) -> npt.NDArray[np.bool_]:
    """Selects the KV blocks that hold a token with the number of one of the query block's."""
    return band.make(grid, stream, density=density, width=0)


if __name__ == "__main__":
    show(make)
