# ruff: noqa: PLR0917  # a kernel takes its tensors by position
"""The forward pass of the stand-in: one query block an iteration, its key blocks one after another."""

from typing import NamedTuple

import pypto
import torch
from bsa_common import DEFAULT_CONFIG, build_sparse_kv, flatten, masks_of, restore, sizes_of


class BSAForwardCallInputs(NamedTuple):
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    block_sparse_mask: torch.Tensor
    actual_seq_lengths: list | None = None
    actual_seq_lengths_kv: list | None = None
    block_shape: tuple = (256, 512)
    cfg: object = DEFAULT_CONFIG


class _FwdHintTensors(NamedTuple):
    units: torch.Tensor
    slots: torch.Tensor


def block_sparse_attention_forward(inputs):
    """Returns O [B, Hq, Sq, D] and LSE [B, Hq, Sq]."""
    query, key, value, mask, lengths_q, lengths_kv, block_shape, cfg = inputs
    sizes = sizes_of(query, key, block_shape)
    q_2d = flatten(query, sizes.blocks_q, sizes.block_q)
    k_2d, v_2d = (flatten(one, sizes.blocks_kv, sizes.block_kv) for one in (key, value))
    sparse = build_sparse_kv(mask, k_2d, v_2d, sizes, (lengths_q, lengths_kv))
    scaled, minus = masks_of(sparse.valid, sizes.head_dim**-0.5, cfg.large_neg)  # limit 3: by the host
    hints = _FwdHintTensors(*(torch.zeros(size, dtype=torch.int32) for size in (sizes.units_q, sparse.max_sel)))
    out = torch.zeros(sizes.units_q, sizes.block_q, sizes.head_dim, dtype=query.dtype)  # limit 7: three axes
    lse = torch.zeros(sizes.units_q * sizes.block_q, 1)
    torch.npu.synchronize()  # limit 13: copies and masks are there
    _get_fwd_kernel(sizes)(q_2d, sparse.key, sparse.value, scaled, minus, *hints, out, lse)
    torch.npu.synchronize()  # limit 13: the kernel is done
    like = query[..., :1]
    return restore(out, query, sizes.blocks_q, sizes.block_q), restore(lse, like, sizes.blocks_q, sizes.block_q)[..., 0]


_KERNELS = {}


def _get_fwd_kernel(sizes):
    name = (sizes.block_q, sizes.block_kv, sizes.head_dim)
    if name not in _KERNELS:
        _KERNELS[name] = _build(*name)
    return _KERNELS[name]


def _build(block_q, block_kv, dim):
    any_size = pypto.DYNAMIC
    fp16, fp32, int32 = pypto.DT_FP16, pypto.DT_FP32, pypto.DT_INT32

    @pypto.frontend.jit(runtime_options={"stitch_function_inner_memory": 128})
    def bsa_forward(
        query: pypto.Tensor([any_size, dim], fp16),
        key: pypto.Tensor([any_size, dim], fp16),
        value: pypto.Tensor([any_size, dim], fp16),
        scaled: pypto.Tensor([any_size, block_kv], fp16),
        minus: pypto.Tensor([any_size, block_kv], fp16),
        hint_units: pypto.Tensor([any_size], int32),
        hint_slots: pypto.Tensor([any_size], int32),
        out: pypto.Tensor([any_size, block_q, dim], fp16),
        lse: pypto.Tensor([any_size, 1], fp32),
    ):
        pypto.set_cube_tile_shapes([128, 128], [128, 128], [128, 128])  # limit 11: 128 each
        pypto.set_vec_tile_shapes(128, 128)
        for u in pypto.loop(hint_units.shape[0], name="UNIT", idx_name="u", parallel=True):
            q = pypto.view(query, [block_q, dim], [u * block_q, 0])
            highest = pypto.tensor([block_q, 1], fp32, "highest")
            total = pypto.tensor([block_q, 1], fp32, "total")
            attended = pypto.tensor([block_q, dim], fp32, "attended")
            for s in pypto.loop(hint_slots.shape[0], name="SLOT", idx_name="s"):
                slot = u * hint_slots.shape[0] + s
                k = pypto.view(key, [block_kv, dim], [slot * block_kv, 0])
                v = pypto.view(value, [block_kv, dim], [slot * block_kv, 0])
                factor = pypto.cast(pypto.view(scaled, [block_q, block_kv], [slot * block_q, 0]), fp32)
                gap = pypto.cast(pypto.view(minus, [block_q, block_kv], [slot * block_q, 0]), fp32)
                scores = pypto.matmul(q, k, fp32, b_trans=True)
                logits = pypto.add(pypto.mul(scores, factor), gap)  # limit 5: arithmetic in place of where
                here = pypto.amax(logits, -1, True)
                if pypto.is_loop_begin(s):  # limits 2, 10: bare
                    weights = pypto.exp(pypto.sub(logits, here))
                    total[:] = pypto.sum(weights, -1, True)  # limit 8: of FP32
                    attended[:] = pypto.matmul(pypto.cast(weights, fp16), v, fp32)
                    highest[:] = here
                else:
                    maximum = pypto.maximum(highest, here)
                    weights = pypto.exp(pypto.sub(logits, maximum))
                    fade = pypto.exp(pypto.sub(highest, maximum))
                    total[:] = pypto.add(pypto.mul(total, fade), pypto.sum(weights, -1, True))
                    more = pypto.matmul(pypto.cast(weights, fp16), v, fp32)
                    attended[:] = pypto.add(pypto.mul(attended, fade), more)
                    highest[:] = maximum
            tile = pypto.cast(pypto.div(attended, total), fp16)
            pypto.assemble(pypto.reshape(tile, [1, block_q, dim]), [u, 0, 0], out)  # limits 7, 9: the tile, once
            pypto.assemble(pypto.add(highest, pypto.log(total)), [u * block_q, 0], lse)  # limit 12: one offset

    return bsa_forward
