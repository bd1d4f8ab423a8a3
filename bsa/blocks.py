"""Where the blocks of a call lie: which take part, their rows in the tensors, and the rows that none of them covers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bsa.contract import Problem

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Addresses = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a call, queries or keys, as the kernels see its tensors.

    BNSD is ``[B*N*S, D]``, where the head is part of the row and its column 0; TND is ``[T, N*D]``.
    """

    starts: Integers
    """First row of each sequence; used in TND."""
    lengths: Integers
    """Actual rows of each sequence."""
    heads: int
    seq: int
    """Rows of a sequence that the mask covers."""
    tokens: int
    block: int
    """Rows of a block."""
    tnd: bool

    def grid(self) -> Addresses:
        """Return ``[batch * heads * blocks, 3]``: first row, column of heads and rows within the actual length."""
        first = np.arange(-(-self.seq // self.block)) * self.block
        rows = np.clip(self.lengths[:, None] - first, 0, self.block)[:, None, :]
        head = np.arange(self.heads)[:, None]
        if self.tnd:
            starts, columns = self.starts[:, None, None], head
        else:
            starts, columns = (np.arange(len(self.lengths))[:, None, None] * self.heads + head) * self.seq, head * 0
        places = np.broadcast_arrays(starts + first, columns, rows)
        return np.stack(places, axis=-1, dtype=np.int32, casting="same_kind").reshape(-1, 3)

    def begun(self) -> Booleans:
        """Return ``[batch, block]``: blocks that have a row within the actual length."""
        blocks = -(-self.seq // self.block)
        return np.arange(blocks) * self.block < self.lengths[:, None]

    def uncovered(self, covered: Booleans) -> torch.Tensor:
        """Return the rows outside the covered blocks, and those at or beyond the actual lengths.

        Args:
            covered: bool ``[batch, heads, blocks]``.

        Returns:
            bool ``[B, N, S]``, in TND ``[T, N]``.
        """
        if not self.tnd:
            within = np.arange(self.seq) < self.lengths[:, None]
            rows = np.repeat(covered, self.block, axis=2)[..., : self.seq]
            return torch.from_numpy(~(rows & within[:, None, :]))
        batch = np.repeat(np.arange(len(self.lengths)), self.lengths)
        position = np.arange(len(batch)) - self.starts[batch]
        empty = np.ones((self.tokens, self.heads), dtype=np.bool_)
        empty[: len(batch)] = ~covered[batch, :, position // self.block]
        return torch.from_numpy(empty)


def query_side(problem: Problem) -> Side:
    """Return the side of query, output and dQ."""
    return Side(
        starts=np.array(problem.starts_q, dtype=np.int64),
        lengths=np.array(problem.lengths_q, dtype=np.int64),
        heads=problem.heads_q,
        seq=problem.seq_q,
        tokens=problem.tokens_q,
        block=problem.block_shape[0],
        tnd=problem.layout == "TND",
    )


def key_side(problem: Problem) -> Side:
    """Return the side of key, value, dK and dV."""
    return Side(
        starts=np.array(problem.starts_kv, dtype=np.int64),
        lengths=np.array(problem.lengths_kv, dtype=np.int64),
        heads=problem.heads_kv,
        seq=problem.seq_kv,
        tokens=problem.tokens_kv,
        block=problem.block_shape[1],
        tnd=problem.layout == "TND",
    )


def selected_blocks(mask: torch.Tensor | None, problem: Problem) -> Booleans:
    """Return the blocks that take part: selected, and begun before both actual lengths.

    Args:
        mask: bool ``[B, Hq, query blocks, key blocks]`` on any device, any strides; None means every block.
        problem: the sizes.

    Returns:
        bool, the shape of the mask.
    """
    begun = query_side(problem).begun()[:, None, :, None] & key_side(problem).begun()[:, None, None, :]
    if mask is None:
        return np.broadcast_to(begun, problem.mask_shape)
    selected: Booleans = np.logical_and(begun, mask.cpu().numpy())
    return selected


def table(values: Integers | Addresses) -> torch.Tensor:
    """Return a contiguous int32 tensor; PyPTO takes no empty one, and no loop reads the row added in its place."""
    if not len(values):
        values = np.zeros((1, values.shape[1]), dtype=np.int32)
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int32))
