"""Block tables of the backward kernel: which rows each of its iterations reads and writes, as int32.

A *unit* is one block of results: a query block of one head (phase 1, dQ) or a key block of one key head (phase 2, dK
and dV). Its *entries* are the blocks of the other side that it meets, ascending; a *chunk* is up to ``width`` entries
that one iteration handles one below the other in a tile. A block cut short by the actual length may only be the last of
its chunk, so that the rows that hold data are the first of the tile.

Everything is a fixed number of array operations, whatever the numbers of batches, heads and blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from bsa.blocks import Booleans, Integers, Side, key_side, query_side, table
from bsa.contract import Problem

UNIT_COLUMNS: Final = 6
"""First row, head, rows, head on the other side (phase 1 only), first chunk, number of chunks."""
BOUNDS: Final = 6
"""Ends of the three classes of units, in phase 1 and in phase 2."""


def chunk_columns(width: int) -> int:
    """Return the columns of a table of chunks: rows that hold data, then first row, head and rows of each entry."""
    return 1 + 3 * width


@dataclass(frozen=True, kw_only=True)
class PhaseTables:
    """Tables of one phase; rows and heads are those of the tensors as the kernel sees them (``bsa.blocks.Side``)."""

    units: torch.Tensor
    """int32 ``[units, 6]``, most chunks first, units of a single entry last."""
    chunks: torch.Tensor
    """int32 ``[chunks, 1 + 3 * width]``; a slot without an entry repeats the first, beyond the rows that hold data."""
    width: int
    """Entries of a chunk: the power of two that holds the longest."""
    ends: tuple[int, int, int]
    """Where in ``units`` these end: units of several chunks, of one chunk, of one entry."""


def query_tables(selected: Booleans, problem: Problem, widest: int) -> PhaseTables:
    """Return the tables of phase 1: units are query blocks, entries the key blocks that they select.

    Args:
        selected: blocks that take part, ``[B, Hq, query blocks, key blocks]``.
        problem: the sizes.
        widest: most key blocks of a chunk, a power of two.
    """
    batch, head, block, other = np.nonzero(selected)
    row, column, rows = key_side(problem).address(batch, head // problem.group, other)
    entries = np.stack([row, column, rows], axis=1)
    first, unit = _units(batch, head, block)
    address = query_side(problem).address(batch[first], head[first], block[first])
    return _tables(entries, unit, (*address, column[first]), key_side(problem), widest)


def key_tables(selected: Booleans, problem: Problem, widest: int) -> PhaseTables:
    """Return the tables of phase 2: units are key blocks, entries the query blocks of their group that select them.

    Args:
        selected: blocks that take part, ``[B, Hq, query blocks, key blocks]``.
        problem: the sizes.
        widest: most query blocks of a chunk, a power of two.
    """
    grouped = selected.reshape(problem.batch, problem.heads_kv, problem.group, problem.blocks_q, problem.blocks_kv)
    batch, head_kv, block, member, other = np.nonzero(grouped.transpose(0, 1, 4, 2, 3))
    address = query_side(problem).address(batch, head_kv * problem.group + member, other)
    first, unit = _units(batch, head_kv, block)
    place = key_side(problem).address(batch[first], head_kv[first], block[first])
    return _tables(np.stack(address, axis=1), unit, (*place, np.zeros_like(first)), query_side(problem), widest)


def _units(*coordinates: Integers) -> tuple[Integers, Integers]:
    """Return the first entry of each unit, and the unit of each entry; entries of a unit follow each other."""
    begins = np.ones(len(coordinates[0]), dtype=np.bool_)
    begins[1:] = np.any([axis[1:] != axis[:-1] for axis in coordinates], axis=0)
    return np.flatnonzero(begins), np.cumsum(begins) - 1


def _tables(entries: Integers, unit: Integers, address: tuple[Integers, ...], other: Side, widest: int) -> PhaseTables:
    """Cut the entries of each unit into chunks and write both tables."""
    begins = np.ones(len(unit), dtype=np.bool_)
    begins[1:] = (unit[1:] != unit[:-1]) | (entries[:-1, 2] < other.block)
    position = np.arange(len(unit))
    begins = (position - np.maximum.accumulate(np.where(begins, position, 0))) % widest == 0
    first, chunk = np.flatnonzero(begins), np.cumsum(begins) - 1
    slot = position - first[chunk]
    width = 1 << int(slot.max(initial=0)).bit_length()
    number = np.bincount(unit[first], minlength=len(address[0]))
    single = (number == 1) & (np.bincount(unit, minlength=len(number)) == 1)
    order = np.argsort(-np.where(single, 0, number), kind="stable")
    units = np.stack([*address, np.cumsum(number) - number, number], axis=1)
    carried, alone = int((number > 1).sum()), int(single.sum())
    return PhaseTables(
        units=table(units[order]),
        chunks=table(_chunks(entries, first, chunk, slot, width)),
        width=width,
        ends=(carried, len(number) - alone, len(number)),
    )


def _chunks(entries: Integers, first: Integers, chunk: Integers, slot: Integers, width: int) -> Integers:
    """Return the table of chunks."""
    slots = np.repeat(entries[first][:, None, :], width, axis=1)
    slots[chunk, slot] = entries
    rows = np.add.reduceat(entries[:, 2], first) if len(first) else first
    return np.concatenate([rows[:, None], slots.reshape(len(first), 3 * width)], axis=1)
