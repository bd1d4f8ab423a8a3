# ruff: noqa: PLR0915, PLR0917  # a kernel is one function, and takes its tensors by position
"""The backward pass of the stand-in: one kernel, dQ first, then dK and dV."""

from typing import NamedTuple

import pypto
import torch
from bsa_common import (
    DEFAULT_CONFIG,
    build_sparse_kv,
    build_sparse_q,
    ends_of,
    flatten,
    inside,
    masks_of,
    place_of,
    restore,
    sizes_of,
)


class BSABackwardCallInputs(NamedTuple):
    dout: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attention_out: torch.Tensor
    softmax_lse: torch.Tensor
    block_sparse_mask: torch.Tensor
    actual_seq_lengths: list | None = None
    actual_seq_lengths_kv: list | None = None
    block_shape: tuple = (256, 512)
    cfg: object = DEFAULT_CONFIG


class _BwdHintTensors(NamedTuple):
    units_q: torch.Tensor
    slots_q: torch.Tensor
    units_kv: torch.Tensor
    slots_kv: torch.Tensor


def block_sparse_attention_backward(inputs):
    """Returns dQ, dK and dV."""
    query, key, mask, cfg = inputs.query, inputs.key, inputs.block_sparse_mask, inputs.cfg
    lengths = (inputs.actual_seq_lengths, inputs.actual_seq_lengths_kv)
    sizes = sizes_of(query, key, inputs.block_shape)
    q_2d, do_2d, o_2d = (
        flatten(one, sizes.blocks_q, sizes.block_q) for one in (query, inputs.dout, inputs.attention_out)
    )
    k_2d, v_2d = (flatten(one, sizes.blocks_kv, sizes.block_kv) for one in (key, inputs.value))
    lse = flatten(inputs.softmax_lse[..., None], sizes.blocks_q, sizes.block_q)  # limit 12: one column
    d_row = (do_2d.float() * o_2d.float()).sum(-1, keepdim=True)
    _defend_padding((q_2d, do_2d, d_row), lse, sizes, ends_of(lengths, sizes)[0])
    kv = build_sparse_kv(mask, k_2d, v_2d, sizes, lengths)
    q = build_sparse_q(mask, (q_2d, do_2d, d_row, lse), sizes, lengths)
    scale = sizes.head_dim**-0.5  # limit 3: by the host
    counts = (sizes.units_q, kv.max_sel, sizes.units_kv, q.max_sel)
    hints = _BwdHintTensors(*(torch.zeros(count, dtype=torch.int32) for count in counts))
    dq = torch.zeros(sizes.units_q, sizes.block_q, sizes.head_dim)  # limit 7: three axes
    dk, dv = (torch.zeros(sizes.units_kv, sizes.block_kv, sizes.head_dim) for _ in range(2))
    masks_q, masks_kv = masks_of(kv.valid, scale, cfg.large_neg), masks_of(q.valid, scale, cfg.large_neg)
    per_query = (q_2d, do_2d, lse, d_row, kv.key, kv.value, *masks_q)
    per_key = (k_2d, v_2d, q.query, q.dout, q.lse, q.d_row, *masks_kv)
    torch.npu.synchronize()  # limit 13: copies and masks are there
    _get_bwd_kernel(sizes)(*per_query, *per_key, *hints, dq, dk, dv)
    torch.npu.synchronize()  # limit 13: the kernel is done
    d_query = restore(dq.half(), query, sizes.blocks_q, sizes.block_q)
    return d_query, *(restore(one.half(), key, sizes.blocks_kv, sizes.block_kv) for one in (dk, dv))


def _defend_padding(tensors, lse, sizes, ends):
    """Rows beyond the lengths: zero, and a log-sum-exp of 1e30, so that no weight is left."""
    for unit in range(sizes.units_q):
        batch, _, block = place_of(unit, sizes.heads_q, sizes.blocks_q)
        rows = slice(unit * sizes.block_q + inside(ends[batch], block, sizes.block_q), (unit + 1) * sizes.block_q)
        lse[rows] = 1e30
        for tensor in tensors:
            tensor[rows] = 0


_KERNELS = {}


def _get_bwd_kernel(sizes):
    name = (sizes.block_q, sizes.block_kv, sizes.head_dim)
    if name not in _KERNELS:
        _KERNELS[name] = _build(*name)
    return _KERNELS[name]


def _build(block_q, block_kv, dim):
    any_size = pypto.DYNAMIC
    fp16, fp32, int32 = pypto.DT_FP16, pypto.DT_FP32, pypto.DT_INT32
    scale = dim**-0.5  # limit 3: by the host

    @pypto.frontend.jit(runtime_options={"stitch_function_inner_memory": 128})
    def bsa_backward(
        query: pypto.Tensor([any_size, dim], fp16),
        dout: pypto.Tensor([any_size, dim], fp16),
        lse: pypto.Tensor([any_size, 1], fp32),
        d_row: pypto.Tensor([any_size, 1], fp32),
        compact_k: pypto.Tensor([any_size, dim], fp16),
        compact_v: pypto.Tensor([any_size, dim], fp16),
        scaled_q: pypto.Tensor([any_size, block_kv], fp16),
        minus_q: pypto.Tensor([any_size, block_kv], fp16),
        key: pypto.Tensor([any_size, dim], fp16),
        value: pypto.Tensor([any_size, dim], fp16),
        compact_q: pypto.Tensor([any_size, dim], fp16),
        compact_do: pypto.Tensor([any_size, dim], fp16),
        compact_lse: pypto.Tensor([any_size, 1], fp32),
        compact_d: pypto.Tensor([any_size, 1], fp32),
        scaled_kv: pypto.Tensor([any_size, block_kv], fp16),
        minus_kv: pypto.Tensor([any_size, block_kv], fp16),
        hint_units_q: pypto.Tensor([any_size], int32),
        hint_slots_q: pypto.Tensor([any_size], int32),
        hint_units_kv: pypto.Tensor([any_size], int32),
        hint_slots_kv: pypto.Tensor([any_size], int32),
        dq: pypto.Tensor([any_size, block_q, dim], fp32),
        dk: pypto.Tensor([any_size, block_kv, dim], fp32),
        dv: pypto.Tensor([any_size, block_kv, dim], fp32),
    ):
        pypto.set_cube_tile_shapes([128, 128], [128, 128], [128, 128])  # limit 11: 128 each
        pypto.set_vec_tile_shapes(128, 128)
        for u in pypto.loop(hint_units_q.shape[0], name="DQ", idx_name="u", parallel=True):
            sum_q = pypto.tensor([block_q, dim], fp32, "sum_q")
            for s in pypto.loop(hint_slots_q.shape[0], name="DQ_SLOT", idx_name="s"):
                slot = u * hint_slots_q.shape[0] + s
                q = pypto.view(query, [block_q, dim], [u * block_q, 0])
                do = pypto.view(dout, [block_q, dim], [u * block_q, 0])
                log_sum = pypto.view(lse, [block_q, 1], [u * block_q, 0])  # limit 12: one offset
                dot = pypto.view(d_row, [block_q, 1], [u * block_q, 0])
                k = pypto.view(compact_k, [block_kv, dim], [slot * block_kv, 0])
                v = pypto.view(compact_v, [block_kv, dim], [slot * block_kv, 0])
                factor = pypto.cast(pypto.view(scaled_q, [block_q, block_kv], [slot * block_q, 0]), fp32)
                gap = pypto.cast(pypto.view(minus_q, [block_q, block_kv], [slot * block_q, 0]), fp32)
                scores = pypto.matmul(q, k, fp32, b_trans=True)
                logits = pypto.add(pypto.mul(scores, factor), gap)  # limit 5: arithmetic in place of where
                weights = pypto.exp(pypto.sub(logits, log_sum))
                d_weights = pypto.matmul(do, v, fp32, b_trans=True)
                d_scores = pypto.cast(pypto.mul(weights, pypto.sub(d_weights, dot)), fp16)
                part = pypto.matmul(d_scores, k, fp32)
                if pypto.is_loop_begin(s):  # limits 2, 10: bare
                    sum_q[:] = part
                else:
                    sum_q[:] = pypto.add(sum_q, part)
            tile = pypto.reshape(pypto.mul(sum_q, scale), [1, block_q, dim])
            pypto.assemble(tile, [u, 0, 0], dq)  # limits 7, 9: the tile, once
        for w in pypto.loop(hint_units_kv.shape[0], name="DKV", idx_name="w", parallel=True):
            sum_k = pypto.tensor([block_kv, dim], fp32, "sum_k")
            sum_v = pypto.tensor([block_kv, dim], fp32, "sum_v")
            for t in pypto.loop(hint_slots_kv.shape[0], name="DKV_SLOT", idx_name="t"):
                place = w * hint_slots_kv.shape[0] + t
                k_own = pypto.view(key, [block_kv, dim], [w * block_kv, 0])
                v_own = pypto.view(value, [block_kv, dim], [w * block_kv, 0])
                q_met = pypto.view(compact_q, [block_q, dim], [place * block_q, 0])
                do_met = pypto.view(compact_do, [block_q, dim], [place * block_q, 0])
                lse_met = pypto.view(compact_lse, [block_q, 1], [place * block_q, 0])  # limit 12: one offset
                dot_met = pypto.view(compact_d, [block_q, 1], [place * block_q, 0])
                factor_kv = pypto.cast(pypto.view(scaled_kv, [block_q, block_kv], [place * block_q, 0]), fp32)
                gap_kv = pypto.cast(pypto.view(minus_kv, [block_q, block_kv], [place * block_q, 0]), fp32)
                scores_kv = pypto.matmul(q_met, k_own, fp32, b_trans=True)
                logits_kv = pypto.add(pypto.mul(scores_kv, factor_kv), gap_kv)  # limit 5: arithmetic
                weights_kv = pypto.exp(pypto.sub(logits_kv, lse_met))
                d_weights_kv = pypto.matmul(do_met, v_own, fp32, b_trans=True)
                d_scores_kv = pypto.cast(pypto.mul(weights_kv, pypto.sub(d_weights_kv, dot_met)), fp16)
                part_v = pypto.matmul(pypto.cast(weights_kv, fp16), do_met, fp32, a_trans=True)
                part_k = pypto.matmul(d_scores_kv, q_met, fp32, a_trans=True)
                if pypto.is_loop_begin(t):  # limits 2, 10: bare
                    sum_k[:] = part_k
                    sum_v[:] = part_v
                else:
                    sum_k[:] = pypto.add(sum_k, part_k)
                    sum_v[:] = pypto.add(sum_v, part_v)
            tile_k = pypto.reshape(pypto.mul(sum_k, scale), [1, block_kv, dim])
            pypto.assemble(tile_k, [w, 0, 0], dk)  # limits 7, 9: the tile, once
            pypto.assemble(pypto.reshape(sum_v, [1, block_kv, dim]), [w, 0, 0], dv)

    return bsa_backward
