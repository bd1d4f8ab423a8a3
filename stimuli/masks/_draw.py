"""A mask as text."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stimuli.masks._grid import Grid
from stimuli.random import Stream

EXAMPLE = Grid(batch=1, heads=4, seq_q=2048, seq_kv=2048, block_q=256, block_kv=128)
"""The grid of drawings: four heads of 8 by 16 blocks."""


def text(mask: npt.NDArray[np.bool_]) -> str:
    """The first batch: a line per query block, heads side by side, ``#`` selected and ``.`` not."""
    heads = mask[0]
    lines = ["   ".join(f"head {h}".ljust(heads.shape[2]) for h in range(heads.shape[0])).rstrip()]
    for row in range(heads.shape[1]):
        cells = ("".join("#" if cell else "." for cell in head[row]) for head in heads)
        lines.append("   ".join(cell.ljust(6) for cell in cells).rstrip())
    return "\n".join(lines)


def show(make: Callable[..., npt.NDArray[np.bool_]], *, density: float = 1.0) -> None:
    """Prints the example of one family on standard output."""
    sys.stdout.write(text(make(EXAMPLE, Stream(b"drawing"), density=density)) + "\n")
