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

from bsa.blocks import Addresses, Booleans, Integers, Side, key_side, query_side, table
from bsa.contract import Problem

UNIT_COLUMNS: Final = 6
"""First row, head, rows, head of the first entry (in phase 1 of every entry), first chunk, number of chunks."""
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
    meeting = selected.reshape(-1, problem.group * problem.blocks_q, problem.blocks_kv)
    return _tables(meeting, query_side(problem), key_side(problem), widest)


def key_tables(selected: Booleans, problem: Problem, widest: int) -> PhaseTables:
    """Return the tables of phase 2: units are key blocks, entries the query blocks of their group that select them.

    Args:
        selected: blocks that take part, ``[B, Hq, query blocks, key blocks]``.
        problem: the sizes.
        widest: most query blocks of a chunk, a power of two.
    """
    meeting = selected.reshape(-1, problem.group * problem.blocks_q, problem.blocks_kv)
    return _tables(meeting.transpose(0, 2, 1), key_side(problem), query_side(problem), widest)


def _tables(meeting: Booleans, mine: Side, other: Side, widest: int) -> PhaseTables:
    """Cut the entries of each unit into chunks and write both tables.

    Args:
        meeting: which blocks of both sides meet, ``[batch and key head, mine, other]``.
        mine: the side of the units.
        other: the side of the entries.
        widest: most entries of a chunk, a power of two.
    """
    _, blocks, others = meeting.shape
    found = np.flatnonzero(meeting)
    block = found // others
    entry = found + (block // blocks - block) * others
    places = other.grid()
    begins = np.ones(len(found), dtype=np.bool_)
    np.not_equal(block[1:], block[:-1], out=begins[1:])
    unit = np.flatnonzero(begins)
    begins[1:] |= (places[:, 2] < other.block)[entry[:-1]]
    slot = _since(np.flatnonzero(begins), len(found)) & (widest - 1)
    chunk = np.flatnonzero(slot == 0)
    first = np.searchsorted(chunk, unit)
    number = np.diff(first, append=len(chunk))
    single = np.diff(unit, append=len(found)) == 1
    units = np.column_stack([mine.grid()[block[unit]], places[entry[unit], 1], first, number])
    carried, alone = int((number > 1).sum()), int(single.sum())
    width = 1 << int(slot.max(initial=0)).bit_length()
    return PhaseTables(
        units=table(units[np.argsort(-np.where(single, 0, number), kind="stable")]),
        chunks=table(_chunks(places, entry, chunk, slot, width)),
        width=width,
        ends=(carried, len(number) - alone, len(number)),
    )


def _since(starts: Integers, end: int) -> Integers:
    """Return, for each position below ``end``, its distance from the last of ``starts``, which begin with 0."""
    return np.arange(end) - np.repeat(starts, np.diff(starts, append=end))


def _chunks(places: Addresses, entry: Integers, first: Integers, slot: Integers, width: int) -> Addresses:
    """Return the table of chunks, which begin at the entries ``first``."""
    slots = np.repeat(entry[first], width)
    slots[np.repeat(np.arange(len(first)) * width, np.diff(first, append=len(entry))) + slot] = entry
    chunks = np.empty((len(first), chunk_columns(width)), dtype=np.int32)
    chunks[:, 0] = np.add.reduceat(places[:, 2].take(entry), first) if len(first) else 0
    chunks[:, 1:] = places.take(slots, axis=0).reshape(len(first), 3 * width)
    return chunks
