"""Cube tiles of the backward kernel: the interpreter handles them one by one, so that they are what its cases cost.

A case takes about 1.7 CPU seconds, 8 ms for every cube tile that is compiled and 1.2 ms for every one that is executed
(fitted to 74 cases with 2 to 29 CPU seconds; root mean square of the rest 1.5). Cases at the limits take 4 to 8.
"""

from __future__ import annotations

from math import ceil

from stimuli.space.attention import BACKWARD_CONFIG
from stimuli.space.axis import Assignment, Budget
from stimuli.space.extent import batches, block_sides, head_counts, keys, rows

SIM_COMPILED = 200
"""Cube tiles that one pass of a loop consists of."""
SIM_EXECUTED = 1024
"""Cube tiles of one pair of blocks, in every head of every batch."""
DEFAULT_SIDE = 128
"""Side of a cube tile where the case does not set it."""
LONGEST, MOST, GATHERED = 2048, 16, 1 << 16
"""What one pass joins: blocks of so many rows in all, so many of them, none with more elements."""

_TILES = next(axis for axis in BACKWARD_CONFIG if axis.name == "tiles")


def joined(there: int, side: int, head_dim: int) -> int:
    """Blocks that one pass of a loop joins: a power of two.

    Args:
        there: blocks that can be selected.
        side: rows of one.
        head_dim: channels.
    """
    if side * head_dim > GATHERED:
        return 1
    widest = 1 << (max(1, min(MOST, LONGEST // side)).bit_length() - 1)
    return min(widest, 1 << (there - 1).bit_length())


def query_tiles(assignment: Assignment) -> float:
    """Cube tiles of a pass that makes dQ: one query block, the key blocks that it joins, three products."""
    block_q, block_kv = block_sides(assignment)
    width = joined(ceil(keys(assignment) / block_kv), block_kv, _dim(assignment)) * block_kv
    side, dim = _side(assignment), _dim(assignment)
    return 3.0 * ceil(block_q / side) * ceil(width / side) * ceil(dim / side)


def key_tiles(assignment: Assignment) -> float:
    """Cube tiles of a pass that makes dK and dV: one key block, the query blocks that it joins, four products."""
    block_q, block_kv = block_sides(assignment)
    heads_q, heads_kv = head_counts(assignment)
    side, dim = _side(assignment), _dim(assignment)
    there = max(1, heads_q // heads_kv) * ceil(rows(assignment) / block_q)
    width = joined(there, block_q, dim) * block_q
    return 4.0 * ceil(block_kv / side) * ceil(width / side) * ceil(dim / side)


def executed_tiles(assignment: Assignment) -> float:
    """Cube tiles of all seven products of one query block with one key block, in every head of every batch."""
    block_q, block_kv = block_sides(assignment)
    side = _side(assignment)
    pair = 7 * ceil(block_q / side) * ceil(block_kv / side) * ceil(_dim(assignment) / side)
    return float(batches(assignment) * head_counts(assignment)[0] * pair)


def _side(assignment: Assignment) -> int:
    config = _TILES.bin(assignment["tiles"]).params.get("config", {})
    return int(config.get("cube_m", (DEFAULT_SIDE,))[0])


def _dim(assignment: Assignment) -> int:
    return int(assignment["head_dim"])


CUBE_BUDGETS = (
    Budget(
        name="compiled for dQ",
        axes=("block", "seq_kv", "head_dim", "tiles"),
        measure=query_tiles,
        limit=SIM_COMPILED,
        text=f"at most {SIM_COMPILED} cube tiles in a pass that makes dQ",
    ),
    Budget(
        name="compiled for dK and dV",
        axes=("heads", "block", "seq_q", "threshold_q", "head_dim", "tiles"),
        measure=key_tiles,
        limit=SIM_COMPILED,
        text=f"at most {SIM_COMPILED} cube tiles in a pass that makes dK and dV",
    ),
    Budget(
        name="executed",
        axes=("batch", "heads", "block", "head_dim", "tiles"),
        measure=executed_tiles,
        limit=SIM_EXECUTED,
        text=f"at most {SIM_EXECUTED} cube tiles of a pair of blocks x heads x batches",
    ),
)
"""Capacity rules of the backward pass by day."""
