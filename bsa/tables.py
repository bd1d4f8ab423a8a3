"""Block tables of the forward kernel: which rows each of its iterations reads and writes, as int32.

A *unit* is one query block of one head that has something to attend to. Its *picks* are the key blocks that it selects,
ascending, padded by repetition to a width the kernel was compiled for; the keys beyond the unit's own are never read.
Units are grouped by width, the longest first within each. Everything is a fixed number of array operations, whatever
the numbers of batches, heads and blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from bsa.blocks import Booleans, Integers, key_side, query_side, selected_blocks, table
from bsa.config import KernelConfig
from bsa.contract import Problem

UNIT_COLUMNS: Final = 7
"""First row, head, rows, key head, first pick, keys, chunks."""
PICK_COLUMNS: Final = 2
"""First row and rows of a key block."""


@dataclass(frozen=True, kw_only=True)
class ForwardTables:
    """What the forward kernel reads besides the tensors.

    Rows and heads are those of the tensors as the kernel sees them: BNSD ``[B*N*S, D]``, where the head is part of the
    row and its column 0; TND ``[T, N*D]``.
    """

    units: torch.Tensor
    """int32 ``[units, 7]``: first row, head, rows, key head, first pick, keys attended to, chunks."""
    picks: torch.Tensor
    """int32 ``[picks, 2]``: first row and rows of each key block, unit after unit."""
    groups: torch.Tensor
    """int32 ``[len(widths) + 1, 2]``: first unit and number of units of each width, then of the units in chunks."""
    widths: tuple[int, ...]
    """Key blocks of a row that one pass handles, ascending."""
    chunked: bool
    """Whether some unit needs several chunks of the last width."""
    empty: torch.Tensor
    """bool, shape of the log-sum-exp: output rows that no unit writes."""
    count: int
    """Number of units; 0 means that there is nothing to launch."""


def forward_tables(mask: torch.Tensor | None, problem: Problem, config: KernelConfig) -> ForwardTables:
    """Make the tables of one call.

    Args:
        mask: as :func:`bsa.blocks.selected_blocks` takes it.
        problem: the sizes.
        config: decides which row widths exist.

    Returns:
        The tables, on the CPU.
    """
    selected = selected_blocks(mask, problem)
    counts = selected.sum(axis=3, dtype=np.int64)
    widths, chunked = config.widths(problem.block_shape[1], int(counts.max(initial=0)))
    block = np.flatnonzero(counts)
    number = counts.ravel()[block]
    slots = np.searchsorted(widths, number)
    order = np.argsort(slots * (number.max(initial=0) + 1) - number, kind="stable")
    block, number, slots = block[order], number[order], slots[order]
    padded = np.append(widths, 0)[slots]
    in_chunks = slots == len(widths)
    padded[in_chunks] = -(-number[in_chunks] // widths[-1]) * widths[-1]
    keys = key_side(problem)
    picks, last = _picks(selected, problem.group, block, padded, number)
    places = keys.grid()[picks]
    attended = (number - 1) * keys.block + places[last, 2]
    first = np.cumsum(padded) - padded
    query = query_side(problem).grid()[block]
    units = np.column_stack([query, places[first, 1], first, attended, padded // widths[-1]])
    begin = np.bincount(slots, minlength=len(widths) + 1)
    return ForwardTables(
        units=table(units),
        picks=table(places[:, ::2]),
        groups=table(np.stack([np.cumsum(begin) - begin, begin], axis=1)),
        widths=widths,
        chunked=chunked,
        empty=query_side(problem).uncovered(counts > 0),
        count=len(units),
    )


def _picks(
    selected: Booleans, group: int, block: Integers, padded: Integers, number: Integers
) -> tuple[Integers, Integers]:
    """Return the picks of all units, as positions in the grid of key blocks, and where the last of each unit is.

    Args:
        selected: blocks that take part, ``[B, Hq, query blocks, key blocks]``.
        group: query heads of a key head.
        block: the query block of each unit.
        padded: picks of each unit.
        number: picks of each unit without padding.
    """
    rows, columns = selected.shape[2:]
    found = np.flatnonzero(selected.reshape(-1, columns)[block])
    unit = found // columns
    entry = found + (block // (group * rows) - np.arange(len(block)))[unit] * columns
    first, start = np.cumsum(number) - number, np.cumsum(padded) - padded
    picks = np.repeat(entry[first], padded)
    picks[np.arange(len(found)) + (start - first)[unit]] = entry
    return picks, start + number - 1
