"""Tensors of either layout as a table of rows, with one spare row for everything that lies outside."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bsa.contract.problem import Problem


@dataclass(frozen=True, kw_only=True)
class Addressing:
    """Where row ``s`` of head ``h`` of batch ``b`` lies: ``starts[b] + h * head_stride + s * row_stride``.

    Attributes:
        starts: first row of each batch, int64 ``[B]``.
        lengths: actual rows of each batch, int64 ``[B]``.
        head_stride: rows between two heads.
        row_stride: rows between two tokens of a head.
        spare: index of the spare row, one past the last.
        block: rows of a block.
    """

    starts: torch.Tensor
    lengths: torch.Tensor
    head_stride: int
    row_stride: int
    spare: int
    block: int

    def rows(self, batch: torch.Tensor, head: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        """Row indices of positions; a negative position or one at or beyond the actual length gives the spare row.

        Args:
            batch: int64 ``[items]``.
            head: int64 ``[items]``.
            position: int64 ``[items, n]``.

        Returns:
            int64 ``[items, n]``.
        """
        base = self.starts[batch] + head * self.head_stride
        index = position * self.row_stride + base[:, None]
        outside = (position < 0) | (position >= self.lengths[batch][:, None])
        return index.masked_fill_(outside, self.spare)


def query_rows(problem: Problem) -> Addressing:
    """Addressing of query, output and their gradients."""
    return Addressing(
        starts=torch.tensor(problem.starts_q, dtype=torch.int64) * problem.heads_q,
        lengths=torch.tensor(problem.lengths_q, dtype=torch.int64),
        head_stride=1 if problem.layout == "TND" else problem.seq_q,
        row_stride=problem.heads_q if problem.layout == "TND" else 1,
        spare=problem.tokens_q * problem.heads_q,
        block=problem.block_shape[0],
    )


def key_rows(problem: Problem) -> Addressing:
    """Addressing of key, value and their gradients."""
    return Addressing(
        starts=torch.tensor(problem.starts_kv, dtype=torch.int64) * problem.heads_kv,
        lengths=torch.tensor(problem.lengths_kv, dtype=torch.int64),
        head_stride=1 if problem.layout == "TND" else problem.seq_kv,
        row_stride=problem.heads_kv if problem.layout == "TND" else 1,
        spare=problem.tokens_kv * problem.heads_kv,
        block=problem.block_shape[1],
    )


def table(tensor: torch.Tensor, width: int, fill: float) -> torch.Tensor:
    """The tensor's rows, and a spare row of ``fill``: ``[rows + 1, width]``, in the tensor's dtype."""
    return torch.cat([tensor.detach().reshape(-1, width), tensor.new_full((1, width), fill)])


def empty_table(rows: int, width: int, fill: float, dtype: torch.dtype) -> torch.Tensor:
    """A table to write results to; the spare row takes what belongs nowhere."""
    return torch.full((rows + 1, width), fill, dtype=dtype)


def gather(source: torch.Tensor, index: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Rows of a table: ``[items, n, width]`` in the dtype asked for."""
    return source.index_select(0, index.reshape(-1)).view(*index.shape, -1).to(dtype)
