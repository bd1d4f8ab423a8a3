"""The work of a sparse call: query tiles with the key rows they select, batched where they select equally many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from bsa.contract.problem import Problem
from bsa.reference.rows import Addressing, key_rows, query_rows

ELEMENTS_AT_ONCE = 2**20
"""Scores, and elements of gathered keys, that one batch of work holds: 8 MB in float64."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Query tiles that select equally many key blocks.

    Attributes:
        query: int64 ``[items, rows]``, rows of the query table; the spare row pads tails.
        key: int64 ``[items, columns]``, rows of the key table, selected blocks in ascending order, likewise padded.
        hidden: bool ``[items, 1, columns]``, columns that are padding; None if none is.
    """

    query: torch.Tensor
    key: torch.Tensor
    hidden: torch.Tensor | None


def selected_blocks(problem: Problem, mask: torch.Tensor | None) -> torch.Tensor:
    """Blocks that take part: selected, and begun before the actual lengths. Bool, the shape of the mask."""
    rows, columns = problem.block_shape
    begun_q = torch.arange(problem.blocks_q) * rows < torch.tensor(problem.lengths_q)[:, None]
    begun_kv = torch.arange(problem.blocks_kv) * columns < torch.tensor(problem.lengths_kv)[:, None]
    begun = begun_q[:, None, :, None] & begun_kv[:, None, None, :]
    return begun.expand(problem.mask_shape) if mask is None else begun & mask.cpu()


def work(problem: Problem, mask: torch.Tensor | None) -> Iterator[Work]:
    """All the work of a call. Query blocks that select nothing give none.

    Args:
        problem: the sizes.
        mask: bool ``[B, Hq, query blocks, key blocks]``, or None for every block.
    """
    selected = selected_blocks(problem, mask)
    counts = selected.sum(dim=-1)
    query, key = query_rows(problem), key_rows(problem)
    for count in torch.unique(counts[counts > 0]).tolist():
        place = (counts == count).nonzero()
        blocks = selected[tuple(place.T)].nonzero()[:, 1].view(-1, count)
        yield from _batches(problem, query, key, place, blocks)


def _batches(
    problem: Problem, query: Addressing, key: Addressing, place: torch.Tensor, blocks: torch.Tensor
) -> Iterator[Work]:
    """Cuts items of one count into tiles of rows and batches of tiles that fit into memory."""
    columns = blocks.shape[1] * key.block
    tile = max(1, min(query.block, ELEMENTS_AT_ONCE // columns))
    step = max(1, ELEMENTS_AT_ONCE // (columns * max(tile, problem.head_dim)))
    for low in range(0, place.shape[0], step):
        batch, head, block = place[low : low + step].T
        position = (blocks[low : low + step, :, None] * key.block + torch.arange(key.block)).flatten(1)
        index = key.rows(batch, head // problem.group, position)
        outside = index == key.spare
        hidden = outside[:, None, :] if bool(outside.any()) else None
        for first in range(0, query.block, tile):
            inside = torch.arange(first, min(first + tile, query.block))
            rows = query.rows(batch, head, block[:, None] * query.block + inside)
            yield Work(query=rows, key=index, hidden=hidden)
