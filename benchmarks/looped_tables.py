"""The backward kernel's tables made in Python loops over batch, head and block: the same tables, entry for entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch

from bsa.contract import Problem

Place = tuple[int, int, int]
"""First row, column of heads and rows of a block."""
Unit = tuple[Place, list[Place]]
"""A block of results and the blocks that it meets."""
Tables = tuple[torch.Tensor, torch.Tensor]
"""Units and chunks, int32."""


def tables_in_loops(
    selects: Callable[[int, int, int, int], bool], problem: Problem, widest: tuple[int, int]
) -> tuple[Tables, Tables]:
    """Return the tables of phase 1 and of phase 2.

    Args:
        selects: whether (batch, head, query block, key block) is selected.
        problem: the sizes.
        widest: most query blocks and most key blocks of a chunk.
    """
    (rows, columns), pairs = problem.block_shape, (query_units(selects, problem), key_units(selects, problem))
    return written(pairs[0], columns, widest[1]), written(pairs[1], rows, widest[0])


def query_units(selects: Callable[[int, int, int, int], bool], problem: Problem) -> Iterator[Unit]:
    """Yield the query blocks that have rows, with the key blocks that they select."""
    place_q, place_kv = partial(place, problem, "q"), partial(place, problem, "kv")
    for batch in range(problem.batch):
        for head in range(problem.heads_q):
            for block in range(problem.blocks_q):
                met = [
                    place_kv(batch, head // problem.group, other)
                    for other in range(problem.blocks_kv)
                    if selects(batch, head, block, other)
                ]
                yield place_q(batch, head, block), met


def key_units(selects: Callable[[int, int, int, int], bool], problem: Problem) -> Iterator[Unit]:
    """Yield the key blocks that have rows, with the query blocks of their group that select them."""
    place_q, place_kv = partial(place, problem, "q"), partial(place, problem, "kv")
    for batch in range(problem.batch):
        for shared in range(problem.heads_kv):
            for other in range(problem.blocks_kv):
                met = [
                    place_q(batch, head, block)
                    for head in range(shared * problem.group, (shared + 1) * problem.group)
                    for block in range(problem.blocks_q)
                    if selects(batch, head, block, other)
                ]
                yield place_kv(batch, shared, other), met


def place(problem: Problem, side: str, batch: int, head: int, block: int) -> Place:
    """Return where a block lies in its tensor."""
    query = side == "q"
    size = problem.block_shape[0 if query else 1]
    rows = min(size, (problem.lengths_q if query else problem.lengths_kv)[batch] - block * size)
    if problem.layout == "TND":
        return (problem.starts_q if query else problem.starts_kv)[batch] + block * size, head, rows
    heads, seq = (problem.heads_q, problem.seq_q) if query else (problem.heads_kv, problem.seq_kv)
    return (batch * heads + head) * seq + block * size, 0, rows


def written(units: Iterator[Unit], size: int, widest: int) -> Tables:
    """Cut what the units meet into chunks and write both tables.

    Args:
        units: the units in order; those without rows or without entries are left out.
        size: rows of a whole entry.
        widest: most entries of a chunk.
    """
    lines, chunks = [], []
    for mine, met in units:
        found = [entry for entry in met if entry[2] > 0]
        if mine[2] <= 0 or not found:
            continue
        first, open_chunk = len(chunks), False
        for entry in found:
            if not open_chunk:
                chunks.append([])
            chunks[-1].append(entry)
            open_chunk = len(chunks[-1]) < widest and entry[2] == size
        number = len(chunks) - first
        lines.append(([*mine, found[0][1], first, number], 0 if len(found) == 1 else -number))
    lines.sort(key=lambda line: line[1])
    longest = max((len(chunk) for chunk in chunks), default=1)
    width = 1 << (longest - 1).bit_length()
    rows = []
    for chunk in chunks:
        row = [sum(entry[2] for entry in chunk)]
        for slot in range(width):
            row += chunk[slot] if slot < len(chunk) else chunk[0]
        rows.append(row)
    return torch.tensor([line[0] for line in lines], dtype=torch.int32), torch.tensor(rows, dtype=torch.int32)
