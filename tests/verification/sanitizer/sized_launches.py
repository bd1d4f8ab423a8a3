"""Launches of the largest calls that the contract allows, which never happen."""

from dataclasses import replace
from typing import Any

from stimuli.case import case
from stimuli.user_cases import DEFAULTS
from verification.dut import find_duts
from verification.sanitizer.sizes import check_size

DIM, HEADS = 64, 64
ROWS = (2**31 - 1) // DIM // HEADS // 1024 * 1024
"""Rows of a sequence, whole blocks, so that one tensor has as many elements as the contract allows, and no more."""
ELEMENTS = HEADS * ROWS * DIM


def sizes(name: str, *, factor: int = 1, heads: int = HEADS, rows: int = ROWS) -> Any:
    """Check a dense call; with a factor, one with so many times the rows, which the contract refuses."""
    shape = {"batch": 1, "heads_q": heads, "heads_kv": heads, "seq_q": rows, "seq_kv": rows, "head_dim": DIM}
    one = case(name, DEFAULTS[name], name="largest", **shape, block_shape=[512, 1024], mask="dense")
    launched = find_duts()[name].sized_launch(one)
    if factor > 1:
        shapes = {tensor: (count * factor, columns) for tensor, (count, columns) in launched.shapes.items()}
        units = launched.tables["units"]
        row = lambda index: (units[index][0] * factor, *units[index][1:])  # noqa: E731 - a table's own form
        launched = replace(launched, shapes=shapes, tables={**launched.tables, "units": replace(units, row=row)})
    return check_size(launched)
