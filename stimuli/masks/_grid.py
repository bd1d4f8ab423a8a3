"""The blocks that a mask speaks about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Shape of a block mask and of its blocks.

    Attributes:
        batch: number of batches.
        heads: number of query heads.
        seq_q: query tokens of a batch.
        seq_kv: key-value tokens of a batch.
        block_q: query tokens of a block.
        block_kv: key-value tokens of a block.
    """

    batch: int
    heads: int
    seq_q: int
    seq_kv: int
    block_q: int
    block_kv: int

    @property
    def blocks_q(self) -> int:
        """Query blocks, the last one possibly short."""
        return -(-self.seq_q // self.block_q)

    @property
    def blocks_kv(self) -> int:
        """Key-value blocks, the last one possibly short."""
        return -(-self.seq_kv // self.block_kv)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """[B, Hq, blocks_q, blocks_kv]."""
        return (self.batch, self.heads, self.blocks_q, self.blocks_kv)
