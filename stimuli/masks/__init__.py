"""Block masks: one family a file, named after what it makes.

Each module has ``make(grid, stream, *, density, …) -> bool [B, Hq, blocks_q, blocks_kv]`` and draws itself:
``python -m stimuli.masks.band``.
"""

from __future__ import annotations

from stimuli.masks._family import DENSITY_FAMILIES, FAMILIES, build
from stimuli.masks._grid import Grid

__all__ = ["DENSITY_FAMILIES", "FAMILIES", "Grid", "build"]
