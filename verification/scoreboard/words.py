"""Places in words: which batches, heads, blocks and rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verification.scoreboard.layout import Layout

RANGES = 4
"""Ranges listed before ``and n more``."""


def block_name(row_axis: str) -> str:
    """What a block of rows is called."""
    return "KV block" if row_axis == "kv_row" else "query block"


def ranges(numbers: npt.ArrayLike) -> str:
    """``[1, 2, 3, 7]`` as ``1..3, 7``; at most four ranges."""
    sorted_numbers = np.unique(np.asarray(numbers, dtype=np.int64))
    breaks = np.flatnonzero(np.diff(sorted_numbers) > 1) + 1
    runs = np.split(sorted_numbers, breaks)
    words = [str(run[0]) if run.size == 1 else f"{run[0]}..{run[-1]}" for run in runs[:RANGES]]
    if len(runs) > RANGES:
        words.append(f"and {sum(run.size for run in runs[RANGES:])} more")
    return ", ".join(words)


def place_words(layout: Layout, failing: npt.NDArray[np.bool_], row_block: int) -> str:
    """For example ``b=0 h=2 query block 1 rows 44..63``.

    Args:
        layout: the output's axes.
        failing: [groups, rows], which rows are wrong.
        row_block: rows of a block; 0 = not blocked.
    """
    if not failing.any():
        return "spread over the output"
    groups = np.flatnonzero(failing.any(axis=1))
    parts = [group_words(layout, groups), rows_words(layout, failing, row_block)]
    return " ".join(part for part in parts if part)


def group_words(layout: Layout, groups: npt.NDArray[np.intp]) -> str:
    """For example ``b=0 h=1, 3``, or how many pairs if they are not a product of axes."""
    if not layout.group_axes:
        return ""
    indices = np.stack(np.unravel_index(groups, layout.group_shape), axis=1)
    per_axis = [np.unique(column) for column in indices.T]
    if np.prod([values.size for values in per_axis]) == groups.size:
        return " ".join(f"{name}={ranges(values)}" for name, values in zip(layout.group_axes, per_axis, strict=True))
    names = ", ".join(layout.group_axes)
    return f"{groups.size} of {layout.groups} ({names}), the first {layout.group_words(int(groups[0]))},"


def rows_words(layout: Layout, failing: npt.NDArray[np.bool_], row_block: int) -> str:
    """For example ``query block 1 rows 44..63``."""
    rows = np.flatnonzero(failing.any(axis=0))
    if not layout.row_axis:
        return ""
    noun = "tokens" if layout.row_axis == "t" else "rows"
    if rows.size == layout.rows:
        return f"all {rows.size} {noun}"
    words = f"{noun if rows.size > 1 else noun[:-1]} {ranges(rows)}"
    if not row_block or layout.row_axis == "t":
        return words
    blocks = np.unique(rows // row_block)
    return f"{block_name(layout.row_axis)}{'s' if blocks.size > 1 else ''} {ranges(blocks)} {words}"
