"""Compact copies, masks and sizes that both passes of the stand-in share.

The strategy is the published one, faults included: copies of the selected blocks made by the host, FP16 masks as large
as a block, a finite minus infinity, and selections kept by the mask's address.
"""

from typing import NamedTuple

import torch


class BSAConfig(NamedTuple):
    block_shape_x: int = 256
    block_shape_y: int = 512
    head_dim: int = 128
    large_neg: float = -65504.0


DEFAULT_CONFIG = BSAConfig()


class Sizes(NamedTuple):
    """Sizes of a call, padded to whole blocks."""

    batch: int
    heads_q: int
    heads_kv: int
    blocks_q: int
    blocks_kv: int
    block_q: int
    block_kv: int
    head_dim: int
    rows_q: int
    rows_kv: int

    @property
    def units_q(self):
        return self.batch * self.heads_q * self.blocks_q

    @property
    def units_kv(self):
        return self.batch * self.heads_kv * self.blocks_kv


def sizes_of(query, key, block_shape):
    batch, heads_q, rows_q, head_dim = query.shape
    heads_kv, rows_kv = key.shape[1:3]
    block_q, block_kv = block_shape
    blocks = (-(-rows_q // block_q), -(-rows_kv // block_kv))
    return Sizes(batch, heads_q, heads_kv, *blocks, block_q, block_kv, head_dim, rows_q, rows_kv)


def flatten(tensor, blocks, block):
    """[B, N, S, D] as [B*N*S', D] with S' whole blocks; what is added is zero."""
    batch, heads, rows, width = tensor.shape
    whole = torch.zeros(batch, heads, blocks * block, width, dtype=tensor.dtype)
    whole[:, :, :rows] = tensor
    return whole.view(-1, width)


def restore(flat, like, blocks, block):
    """The inverse of :func:`flatten`."""
    batch, heads, rows, width = like.shape
    return flat.view(batch, heads, blocks * block, width)[:, :, :rows].contiguous()


_STRUCTURES = {}


def structure_of(mask, sizes, side):
    """Blocks that each block meets, as lists; kept by the mask's address.

    Args:
        mask: bool [B, Hq, blocks_q, blocks_kv].
        sizes: of the call.
        side: ``q``: key blocks of each query block. ``kv``: (head of the group, query block) of each key block.
    """
    name = (side, mask.data_ptr(), tuple(mask.shape))
    if name not in _STRUCTURES:
        _STRUCTURES[name] = [torch.nonzero(row).flatten().tolist() for row in _rows(mask, sizes, side)]
    return _STRUCTURES[name]


def _rows(mask, sizes, side):
    if side == "q":
        return mask.reshape(sizes.units_q, sizes.blocks_kv)
    group = sizes.heads_q // sizes.heads_kv
    grouped = mask.view(sizes.batch, sizes.heads_kv, group, sizes.blocks_q, sizes.blocks_kv)
    return grouped.permute(0, 1, 4, 2, 3).reshape(sizes.units_kv, group * sizes.blocks_q)


class SparseKV(NamedTuple):
    """Copies of the key blocks that each query block meets."""

    key: torch.Tensor
    value: torch.Tensor
    valid: torch.Tensor
    """FP32 [units, max_sel, block_q, block_kv]: 1 where a query may look."""
    max_sel: int


def build_sparse_kv(mask, key, value, sizes, lengths):
    """Copies the selected blocks of keys and values, query block by query block.

    Args:
        mask: bool [B, Hq, blocks_q, blocks_kv].
        key: [B*Hkv*S, D], whole blocks.
        value: as key.
        sizes: of the call.
        lengths: actual lengths of queries and of keys, each a list or None.
    """
    rows = structure_of(mask, sizes, "q")
    max_sel = max(1, *map(len, rows))
    key, value = (one.view(sizes.batch, sizes.heads_kv, sizes.blocks_kv, sizes.block_kv, -1) for one in (key, value))
    shape = (sizes.units_q, max_sel, sizes.block_kv, sizes.head_dim)
    compact_k, compact_v = (torch.zeros(shape, dtype=key.dtype) for _ in range(2))
    valid = torch.zeros(sizes.units_q, max_sel, sizes.block_q, sizes.block_kv)  # limit 4: as large as a block
    ends_q, ends_kv = ends_of(lengths, sizes)
    for unit, selected in enumerate(rows):
        batch, head, block = place_of(unit, sizes.heads_q, sizes.blocks_q)
        head_kv = head // (sizes.heads_q // sizes.heads_kv)
        for slot, other in enumerate(selected or [0]):
            compact_k[unit, slot] = key[batch, head_kv, other]
            compact_v[unit, slot] = value[batch, head_kv, other]
            queries = inside(ends_q[batch], block, sizes.block_q)
            keys = inside(ends_kv[batch], other, sizes.block_kv)
            if selected or lengths[0] is None:
                valid[unit, slot, :queries, :keys] = 1.0
    return SparseKV(compact_k.view(-1, sizes.head_dim), compact_v.view(-1, sizes.head_dim), valid, max_sel)


def place_of(unit, heads, blocks):
    """(batch, head, block) of a unit."""
    return unit // (heads * blocks), unit // blocks % heads, unit % blocks


def inside(length, block, size):
    """Rows of a block within a length."""
    return max(0, min(size, length - block * size))


def ends_of(lengths, sizes):
    """Lengths of queries and of keys, batch by batch, where none are given too."""
    return tuple(
        [rows] * sizes.batch if given is None else given
        for given, rows in zip(lengths, (sizes.rows_q, sizes.rows_kv), strict=True)
    )


def masks_of(valid, scale, large_neg):
    """The scale where a query may look, and minus infinity where not, in FP16.

    Returns:
        [units*max_sel*rows, columns] each.
    """
    columns = valid.shape[-1]
    scaled = (valid.float() * scale).half()  # limit 6: numbers, made by the host
    return scaled.view(-1, columns), ((1.0 - valid) * large_neg).half().view(-1, columns)


class SparseQ(NamedTuple):
    """Copies of the query blocks that meet each key block."""

    query: torch.Tensor
    dout: torch.Tensor
    lse: torch.Tensor
    d_row: torch.Tensor
    valid: torch.Tensor
    """FP32 [units, max_sel, block_q, block_kv]: 1 where a query looks."""
    max_sel: int


def build_sparse_q(mask, tensors, sizes, lengths):
    """Copies the query blocks that meet each key block; slots without one have a log-sum-exp of 1e30.

    Args:
        mask: bool [B, Hq, blocks_q, blocks_kv].
        tensors: query and dout [B*Hq*S, D], d_row and log-sum-exp FP32 [B*Hq*S, 1], whole blocks.
        sizes: of the call.
        lengths: actual lengths of queries and of keys, each a list or None.
    """
    rows = structure_of(mask, sizes, "kv")
    max_sel = max(1, *map(len, rows))
    group = sizes.heads_q // sizes.heads_kv
    given = [one.view(sizes.batch, sizes.heads_q, sizes.blocks_q, sizes.block_q, -1) for one in tensors]
    shape = (sizes.units_kv, max_sel, sizes.block_q)
    compact = [torch.zeros(*shape, one.shape[-1], dtype=one.dtype) for one in given[:3]]
    compact.append(torch.full((*shape, 1), 1e30))
    valid = torch.zeros(*shape, sizes.block_kv)  # limit 4: as large as a block
    ends_q, ends_kv = ends_of(lengths, sizes)
    for unit, selected in enumerate(rows):
        batch, head_kv, block = place_of(unit, sizes.heads_kv, sizes.blocks_kv)
        for slot, other in enumerate(selected):
            head, block_q = head_kv * group + other // sizes.blocks_q, other % sizes.blocks_q
            for copy, one in zip(compact, given, strict=True):
                copy[unit, slot] = one[batch, head, block_q]
            queries = inside(ends_q[batch], block_q, sizes.block_q)
            keys = inside(ends_kv[batch], block, sizes.block_kv)
            valid[unit, slot, :queries, :keys] = 1.0
    flat = [one.view(-1, one.shape[-1]) for one in compact]
    return SparseQ(flat[0], flat[1], flat[3], flat[2], valid, max_sel)
