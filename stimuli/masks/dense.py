"""Every block."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stimuli.masks._draw import show
from stimuli.masks._grid import Grid
from stimuli.random import Stream


def make(grid: Grid, stream: Stream, *, density: float = 1.0) -> npt.NDArray[np.bool_]:  # noqa: ARG001 - one signature
    """All ones."""
    return np.ones(grid.shape, dtype=np.bool_)


if __name__ == "__main__":
    show(make)
