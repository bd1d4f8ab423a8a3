"""Error ÷ limit as a small picture: one line per (batch, head), one column per block of rows."""

from __future__ import annotations

import numpy as np

from verification.scoreboard.layout import Layout
from verification.scoreboard.ulp import Array
from verification.scoreboard.words import block_name

SIDE = 64
"""Largest number of lines and of columns."""


def heatmap(severity: Array, row_block: int) -> tuple[tuple[float, ...], ...]:
    """``severity`` [groups, rows] pooled by maximum to at most 64 by 64."""
    groups, rows = severity.shape
    pooled = _pool(_pool(severity, _column_rows(rows, row_block), axis=1), -(-groups // SIDE), axis=0)
    return tuple(tuple(float(cell) for cell in line) for line in pooled)


def heatmap_axes(layout: Layout, row_block: int) -> tuple[str, str]:
    """What the lines and the columns of the heat-map are."""
    per_line = -(-layout.groups // SIDE)
    lines = ", ".join(layout.group_axes) or "all"
    per_column = _column_rows(layout.rows, row_block)
    if row_block and per_column % row_block == 0:
        several = per_column // row_block
        columns = block_name(layout.row_axis) if several == 1 else f"{several} {block_name(layout.row_axis)}s"
        columns += f" ({per_column} rows)"
    else:
        columns = f"{per_column} rows"
    return (lines if per_line == 1 else f"{lines} ({per_line} a line)", columns)


def _column_rows(rows: int, row_block: int) -> int:
    block = row_block or max(1, -(-rows // SIDE))
    return block * max(1, -(-rows // (block * SIDE)))


def _pool(values: Array, size: int, *, axis: int) -> Array:
    if not values.size:
        return values
    pooled: Array = np.maximum.reduceat(values, np.arange(0, values.shape[axis], size), axis=axis)
    return pooled
