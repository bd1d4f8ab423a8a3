"""Launches of the largest calls that the contract allows, which never happen."""

from dataclasses import replace
from typing import Any

from bsa.contract.profile import BLOCK_MAXIMUM, MAXIMUM_ELEMENTS
from stimuli.case import case
from stimuli.user_cases import DEFAULTS
from verification.dut import find_duts
from verification.sanitizer.sizes import check_size


def whole_rows(dim: int, heads: int, *, batch: int = 1, step: int = 1024) -> int:
    """Rows of a sequence, whole blocks, so that a tensor has as many elements as the contract allows, and no more."""
    return MAXIMUM_ELEMENTS // dim // heads // batch // step * step


def _shape(*, dim: int = 64, heads: int = 64, heads_kv: int = 0, batch: int = 1, rows: int = 0, **more: Any):
    rows = rows or whole_rows(dim, heads, batch=batch)
    sides = {"heads_q": heads, "heads_kv": heads_kv or heads, "seq_q": rows, "seq_kv": rows}
    return {"batch": batch, **sides, "head_dim": dim, "block_shape": list(BLOCK_MAXIMUM), **more}


LARGEST = {
    "heads": _shape(),
    "one key head": _shape(heads_kv=1),
    "sequences": _shape(batch=2**15, heads=1, rows=1023, block_shape=[512, 512]),
    "dim 256": _shape(dim=256, heads=8),
    "packed": _shape(layout="TND"),
    "largest mask": _shape(heads=1, rows=2**22),
    "largest mask, small blocks": _shape(heads=1, rows=16 * 5792, block_shape=[16, 16]),
}
"""Calls at the contract's edges: all elements of a tensor, or all blocks of a mask."""


def sizes(name: str, *, factor: int = 1, **shape: Any) -> Any:
    """Check a dense call; with a factor, one with so many times the rows, which the contract refuses."""
    one = case(name, DEFAULTS[name], name="largest", **shape, mask="dense")
    launched = find_duts()[name].sized_launch(one)
    if factor > 1:
        shapes = {tensor: (count * factor, columns) for tensor, (count, columns) in launched.shapes.items()}
        units = launched.tables["units"]
        row = lambda index: (units[index][0] * factor, *units[index][1:])  # noqa: E731 - a table's own form
        launched = replace(launched, shapes=shapes, tables={**launched.tables, "units": replace(units, row=row)})
    return check_size(launched)


def blocks(shape: dict[str, Any]) -> int:
    """Blocks that the dense mask of a call selects."""
    rows, columns = (
        -(-shape[side] // block) for side, block in zip(("seq_q", "seq_kv"), shape["block_shape"], strict=True)
    )
    return shape["batch"] * shape["heads_q"] * rows * columns


def elements(shape: dict[str, Any]) -> int:
    """Elements of the query tensor."""
    return shape["batch"] * shape["heads_q"] * shape["seq_q"] * shape["head_dim"]
