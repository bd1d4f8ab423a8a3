"""One call of block-sparse attention, checked and resolved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import torch


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The sizes and options of one call; everything but the tensors' contents.

    Attributes:
        batch: number of sequences, B.
        heads_q: query heads, Hq.
        heads_kv: key and value heads, Hkv; divides Hq.
        seq_q: query rows that the mask covers: S of BNSD; in TND the largest of lengths_q, at least 1.
        seq_kv: the same for keys.
        head_dim: D.
        block_shape: rows of a query block, rows of a key block.
        lengths_q: actual rows of each sequence, one per batch, always resolved.
        lengths_kv: the same for keys.
        tokens_q: rows of the query tensor over all sequences: B·S, in TND its first axis T, padding included.
        tokens_kv: the same for keys.
        scale: factor on query·key, always resolved.
        dtype: dtype of query, key and value.
        layout: ``BNSD`` = ``[B, N, S, D]``, ``TND`` = ``[T, N, D]``.
    """

    batch: int
    heads_q: int
    heads_kv: int
    seq_q: int
    seq_kv: int
    head_dim: int
    block_shape: tuple[int, int]
    lengths_q: tuple[int, ...]
    lengths_kv: tuple[int, ...]
    tokens_q: int
    tokens_kv: int
    scale: float
    dtype: torch.dtype
    layout: str

    @property
    def group(self) -> int:
        """Query heads that share one key head, Hq / Hkv."""
        return self.heads_q // self.heads_kv

    @property
    def blocks_q(self) -> int:
        """Query blocks of a sequence: the mask's third axis."""
        return -(-self.seq_q // self.block_shape[0])

    @property
    def blocks_kv(self) -> int:
        """Key blocks of a sequence: the mask's fourth axis."""
        return -(-self.seq_kv // self.block_shape[1])

    @property
    def starts_q(self) -> tuple[int, ...]:
        """First token of each query sequence: TND, prefix sums of lengths_q; BNSD, multiples of S."""
        return self._starts(self.lengths_q, self.seq_q)

    @property
    def starts_kv(self) -> tuple[int, ...]:
        """First token of each key sequence, as starts_q."""
        return self._starts(self.lengths_kv, self.seq_kv)

    @property
    def mask_shape(self) -> tuple[int, int, int, int]:
        """Shape of the block mask: [B, Hq, query blocks, key blocks], in both layouts."""
        return (self.batch, self.heads_q, self.blocks_q, self.blocks_kv)

    @property
    def lse_shape(self) -> tuple[int, ...]:
        """Shape of the log-sum-exp: [B, Hq, S]; TND [T, Hq]."""
        if self.layout == "TND":
            return (self.tokens_q, self.heads_q)
        return (self.batch, self.heads_q, self.seq_q)

    def _starts(self, lengths: tuple[int, ...], stride: int) -> tuple[int, ...]:
        if self.layout == "TND":
            return tuple(accumulate(lengths[:-1], initial=0))
        return tuple(stride * index for index in range(self.batch))
