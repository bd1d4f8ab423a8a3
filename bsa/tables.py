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
from numpy.typing import NDArray

from bsa.config import KernelConfig
from bsa.contract import Problem

Integers = NDArray[np.int64]

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


def selected_blocks(mask: torch.Tensor | None, problem: Problem) -> NDArray[np.bool_]:
    """Return the blocks that take part: selected, and begun before both actual lengths.

    Args:
        mask: bool ``[B, Hq, query blocks, key blocks]`` on any device, any strides; None means every block.
        problem: the sizes.

    Returns:
        bool, the shape of the mask.
    """
    begun_q = _rows(problem.lengths_q, problem.blocks_q, problem.block_shape[0]) > 0
    begun_kv = _rows(problem.lengths_kv, problem.blocks_kv, problem.block_shape[1]) > 0
    begun = begun_q[:, None, :, None] & begun_kv[:, None, None, :]
    if mask is None:
        return np.broadcast_to(begun, problem.mask_shape)
    chosen: NDArray[np.bool_] = mask.cpu().numpy()
    return chosen & begun


def forward_tables(mask: torch.Tensor | None, problem: Problem, config: KernelConfig) -> ForwardTables:
    """Make the tables of one call.

    Args:
        mask: as :func:`selected_blocks` takes it.
        problem: the sizes.
        config: decides which row widths exist.

    Returns:
        The tables, on the CPU.
    """
    selected = selected_blocks(mask, problem)
    counts = selected.sum(axis=3, dtype=np.int64)
    widths, chunked = config.widths(problem.block_shape[1], int(counts.max(initial=0)))
    batch, head, block = np.nonzero(counts)
    number = counts[batch, head, block]
    slots = np.searchsorted(widths, number)
    order = np.argsort(slots * (number.max(initial=0) + 1) - number, kind="stable")
    batch, head, block, number, slots = (column[order] for column in (batch, head, block, number, slots))
    padded = np.append(widths, 0)[slots]
    in_chunks = slots == len(widths)
    padded[in_chunks] = -(-number[in_chunks] // widths[-1]) * widths[-1]
    picks, keys = _picks(selected, problem, (batch, head, block), padded, number)
    begin = np.bincount(slots, minlength=len(widths) + 1)
    query = _address(problem, "q", batch, head, block)
    first = np.cumsum(padded) - padded
    units = np.stack([*query, _key_column(problem, head), first, keys, padded // widths[-1]], axis=1)
    return ForwardTables(
        units=_table(units),
        picks=_table(picks),
        groups=_table(np.stack([np.cumsum(begin) - begin, begin], axis=1)),
        widths=widths,
        chunked=chunked,
        empty=_empty(counts > 0, problem),
        count=len(units),
    )


def _rows(lengths: tuple[int, ...], blocks: int, size: int) -> Integers:
    """Return ``[batch, block]``: rows of each block within the actual length, 0 for a block beyond it."""
    left = np.array(lengths, dtype=np.int64)[:, None] - np.arange(blocks, dtype=np.int64) * size
    return left.clip(0, size)


def _address(problem: Problem, side: str, batch: Integers, head: Integers, block: Integers) -> tuple[Integers, ...]:
    """Return first row, column head and rows of blocks in the two-axis tensor of queries (q) or keys (kv)."""
    query = side == "q"
    size = problem.block_shape[0 if query else 1]
    lengths = problem.lengths_q if query else problem.lengths_kv
    rows = np.clip(np.array(lengths, dtype=np.int64)[batch] - block * size, 0, size)
    if problem.layout == "TND":
        starts = np.array(problem.starts_q if query else problem.starts_kv, dtype=np.int64)
        return starts[batch] + block * size, head, rows
    heads, seq = (problem.heads_q, problem.seq_q) if query else (problem.heads_kv, problem.seq_kv)
    return (batch * heads + head) * seq + block * size, np.zeros_like(head), rows


def _key_column(problem: Problem, head: Integers) -> Integers:
    return head // problem.group if problem.layout == "TND" else np.zeros_like(head)


def _picks(
    selected: NDArray[np.bool_],
    problem: Problem,
    units: tuple[Integers, Integers, Integers],
    padded: Integers,
    number: Integers,
) -> tuple[Integers, Integers]:
    """Return the picks of all units, padded, and each unit's number of keys."""
    batch, head, _ = units
    unit, other = np.nonzero(selected[units])
    first = np.cumsum(number) - number
    rank = np.arange(len(other)) - first[unit]
    slot_unit = np.repeat(np.arange(len(padded)), padded)
    slots = other[first][slot_unit]
    slots[(np.cumsum(padded) - padded)[unit] + rank] = other
    row, _, rows = _address(problem, "kv", batch[slot_unit], (head // problem.group)[slot_unit], slots)
    last = other[first + number - 1]
    size = problem.block_shape[1]
    keys = (number - 1) * size + np.minimum(np.array(problem.lengths_kv, dtype=np.int64)[batch] - last * size, size)
    return np.stack([row, rows], axis=1), keys


def _empty(writes: NDArray[np.bool_], problem: Problem) -> torch.Tensor:
    """Return the output rows without a unit, in the shape of the log-sum-exp."""
    size = problem.block_shape[0]
    position = np.arange(problem.seq_q)
    within = position < np.array(problem.lengths_q, dtype=np.int64)[:, None]
    written = writes[:, :, position // size] & within[:, None, :]
    if problem.layout == "TND":
        tokens = np.zeros(problem.lse_shape, dtype=np.bool_)
        batch, place = np.nonzero(within)
        tokens[np.array(problem.starts_q, dtype=np.int64)[batch] + place] = written[batch, :, place]
        written = tokens
    return torch.from_numpy(~written)


def _table(values: Integers) -> torch.Tensor:
    """Return an int32 tensor; PyPTO takes no empty one, and no loop reads the row added in its place."""
    if not len(values):
        values = np.zeros((1, values.shape[1]), dtype=np.int64)
    return torch.from_numpy(values.astype(np.int32))
