# mypy: disable-error-code="valid-type, no-untyped-def, untyped-decorator, misc"
# ruff: noqa: ANN001, ANN202, C901, PLR0912, PLR0915, PLR0917
# PyPTO reads the source of the kernel and evaluates its annotations: helpers inside, values as annotations, all in one.
"""The merged backward kernel: dQ in phase 1, dK and dV in phase 2, P recomputed from the log-sum-exp.

Tensors are seen as two axes: BNSD ``[B*N*S, D]``, TND ``[T, N*D]``. A block is ``rows`` rows from ``row`` on, in the
columns of ``head``; in BNSD the head is part of the row and its column is 0. The tables (``backward_tables``) tell.

Padding: every view states, as its valid_shape, the rows that exist, and every gathered tile the rows that hold data.
Nothing beyond them is read as a number, whatever memory holds there, so that no tensor needs cleaning.
"""

from collections.abc import Callable
from functools import cache

from bsa._pypto import load
from bsa.kernels.backward_config import BackwardConfig, Shape, vector_tile
from bsa.kernels.backward_tables import BOUNDS, UNIT_COLUMNS, chunk_columns


@cache
def build_backward(shape: Shape, config: BackwardConfig, run_mode: str) -> Callable[..., None]:
    """Make the jit object for ``shape``; sizes, lengths, mask, layout and scale are arguments of its calls.

    Args:
        shape: dtype, head_dim, block shape and variant.
        config: tiles, options and phases.
        run_mode: ``sim`` or ``npu``.

    Returns:
        A callable of (query, key, value, dout, lse, delta, units_q, chunks_q, units_kv, chunks_kv, bounds, dq, dk, dv,
        scale) that writes the blocks of dq, dk and dv that have a unit, and no other.
    """
    pypto = load()
    fp32, int32, any_size = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC
    data = {"float16": pypto.DT_FP16, "bfloat16": pypto.DT_BF16}[shape.dtype]
    dim, (block_q, block_kv) = shape.head_dim, shape.block_shape
    width_q, width_kv = shape.width_q, shape.width_kv
    carry_q, carry_kv = shape.carry_q, shape.carry_kv
    columns_q, columns_kv = chunk_columns(width_q), chunk_columns(width_kv)
    with_dq, with_dkv = config.phases != "dkv", config.phases != "dq"
    dim_rows, dim_columns = vector_tile(dim, config.score_columns)

    @pypto.frontend.function
    def query_share(query, key, value, dout, lse, delta, units, unit, chunks, chunk, slots, scale, share):
        """One query block and the key blocks of one chunk: their share of dQ, not yet scaled."""
        row, head, rows, head_kv = units[unit, 0], units[unit, 1], units[unit, 2], units[unit, 3]
        q = pypto.view(query, [block_q, dim], [row, head * dim], valid_shape=[rows, dim])
        do = pypto.view(dout, [block_q, dim], [row, head * dim], valid_shape=[rows, dim])
        log_sum = pypto.view(lse, [block_q, 1], [row, head], valid_shape=[rows, 1])  # limit 12: by rows
        dot = pypto.view(delta, [block_q, 1], [row, head], valid_shape=[rows, 1])
        pypto.set_vec_tile_shapes(dim_rows, dim_columns)
        if slots == 1:
            start, there = chunks[chunk, 1], chunks[chunk, 3]
            k = pypto.view(key, [block_kv, dim], [start, head_kv * dim], valid_shape=[there, dim])
            v = pypto.view(value, [block_kv, dim], [start, head_kv * dim], valid_shape=[there, dim])
        else:
            k_tile = pypto.tensor([slots * block_kv, dim], data, "k_tile")
            v_tile = pypto.tensor([slots * block_kv, dim], data, "v_tile")
            for slot in range(slots):
                start, there = chunks[chunk, 1 + 3 * slot], chunks[chunk, 3 + 3 * slot]
                k_block = pypto.view(key, [block_kv, dim], [start, head_kv * dim], valid_shape=[there, dim])
                v_block = pypto.view(value, [block_kv, dim], [start, head_kv * dim], valid_shape=[there, dim])
                pypto.assemble(k_block, [slot * block_kv, 0], k_tile)
                pypto.assemble(v_block, [slot * block_kv, 0], v_tile)
            k = pypto.view(k_tile, [slots * block_kv, dim], [0, 0], valid_shape=[chunks[chunk, 0], dim])
            v = pypto.view(v_tile, [slots * block_kv, dim], [0, 0], valid_shape=[chunks[chunk, 0], dim])
        scores = pypto.matmul(q, k, fp32, b_trans=True)
        d_weights = pypto.matmul(do, v, fp32, b_trans=True)
        tile = vector_tile(slots * block_kv, config.score_columns)
        pypto.set_vec_tile_shapes(tile[0], tile[1])
        weights = pypto.exp(pypto.sub(pypto.mul(scores, scale), log_sum))
        d_scores = pypto.cast(pypto.mul(weights, pypto.sub(d_weights, dot)), data)
        share[:] = pypto.matmul(d_scores, k, fp32)
        pypto.set_vec_tile_shapes(dim_rows, dim_columns)

    @pypto.frontend.function
    def key_shares(query, key, value, dout, lse, delta, units, unit, chunks, chunk, slots, scale, share_k, share_v):
        """One key block and the query blocks of one chunk: their shares of dK, not yet scaled, and of dV."""
        row, head, rows = units[unit, 0], units[unit, 1], units[unit, 2]
        k = pypto.view(key, [block_kv, dim], [row, head * dim], valid_shape=[rows, dim])
        v = pypto.view(value, [block_kv, dim], [row, head * dim], valid_shape=[rows, dim])
        pypto.set_vec_tile_shapes(dim_rows, dim_columns)
        if slots == 1:
            start, from_head, there = chunks[chunk, 1], chunks[chunk, 2], chunks[chunk, 3]
            q = pypto.view(query, [block_q, dim], [start, from_head * dim], valid_shape=[there, dim])
            do = pypto.view(dout, [block_q, dim], [start, from_head * dim], valid_shape=[there, dim])
            log_sum = pypto.view(lse, [block_q, 1], [start, from_head], valid_shape=[there, 1])
            dot = pypto.view(delta, [block_q, 1], [start, from_head], valid_shape=[there, 1])
        else:
            q_tile = pypto.tensor([slots * block_q, dim], data, "q_tile")
            do_tile = pypto.tensor([slots * block_q, dim], data, "do_tile")
            lse_tile = pypto.tensor([slots * block_q, 1], fp32, "lse_tile")
            delta_tile = pypto.tensor([slots * block_q, 1], fp32, "delta_tile")
            for slot in range(slots):
                start, there = chunks[chunk, 1 + 3 * slot], chunks[chunk, 3 + 3 * slot]
                from_head = chunks[chunk, 2 + 3 * slot]
                q_block = pypto.view(query, [block_q, dim], [start, from_head * dim], valid_shape=[there, dim])
                do_block = pypto.view(dout, [block_q, dim], [start, from_head * dim], valid_shape=[there, dim])
                lse_block = pypto.view(lse, [block_q, 1], [start, from_head], valid_shape=[there, 1])
                delta_block = pypto.view(delta, [block_q, 1], [start, from_head], valid_shape=[there, 1])
                pypto.assemble(q_block, [slot * block_q, 0], q_tile)
                pypto.assemble(do_block, [slot * block_q, 0], do_tile)
                pypto.assemble(lse_block, [slot * block_q, 0], lse_tile)
                pypto.assemble(delta_block, [slot * block_q, 0], delta_tile)
            q = pypto.view(q_tile, [slots * block_q, dim], [0, 0], valid_shape=[chunks[chunk, 0], dim])
            do = pypto.view(do_tile, [slots * block_q, dim], [0, 0], valid_shape=[chunks[chunk, 0], dim])
            log_sum = pypto.view(lse_tile, [slots * block_q, 1], [0, 0], valid_shape=[chunks[chunk, 0], 1])
            dot = pypto.view(delta_tile, [slots * block_q, 1], [0, 0], valid_shape=[chunks[chunk, 0], 1])
        scores = pypto.matmul(q, k, fp32, b_trans=True)
        d_weights = pypto.matmul(do, v, fp32, b_trans=True)
        tile = vector_tile(block_kv, config.score_columns)
        pypto.set_vec_tile_shapes(tile[0], tile[1])
        weights = pypto.exp(pypto.sub(pypto.mul(scores, scale), log_sum))
        d_scores = pypto.cast(pypto.mul(weights, pypto.sub(d_weights, dot)), data)
        share_v[:] = pypto.matmul(pypto.cast(weights, data), do, fp32, a_trans=True)
        share_k[:] = pypto.matmul(d_scores, q, fp32, a_trans=True)
        pypto.set_vec_tile_shapes(dim_rows, dim_columns)

    @pypto.frontend.function
    def add_to(total, share, block, units, unit):  # limit 23: no name that the caller reads
        """Add a share to a running sum."""
        before = pypto.view(total, [block, dim], [0, 0], valid_shape=[units[unit, 2], dim])  # limit 25: again
        total[:] = pypto.add(before, share)

    @pypto.frontend.function
    def store(total, block, units, unit, factor, target):
        """Scale a finished sum, round it and write it to its place."""
        pypto.set_vec_tile_shapes(dim_rows, dim_columns)
        there = pypto.view(total, [block, dim], [0, 0], valid_shape=[units[unit, 2], dim])
        if factor is not None:
            there = pypto.mul(there, factor)
        pypto.assemble(pypto.cast(there, data), [units[unit, 0], units[unit, 1] * dim], target)  # limits 9, 17: once

    @pypto.frontend.jit(**config.options(pypto, run_mode))
    def block_sparse_attention_backward(
        query: pypto.Tensor([any_size, any_size], data),
        key: pypto.Tensor([any_size, any_size], data),
        value: pypto.Tensor([any_size, any_size], data),
        dout: pypto.Tensor([any_size, any_size], data),
        lse: pypto.Tensor([any_size, any_size], fp32),
        delta: pypto.Tensor([any_size, any_size], fp32),
        units_q: pypto.Tensor([any_size, UNIT_COLUMNS], int32),
        chunks_q: pypto.Tensor([any_size, columns_q], int32),
        units_kv: pypto.Tensor([any_size, UNIT_COLUMNS], int32),
        chunks_kv: pypto.Tensor([any_size, columns_kv], int32),
        bounds: pypto.Tensor([1, BOUNDS], int32),
        dq: pypto.Tensor([any_size, any_size], data),
        dk: pypto.Tensor([any_size, any_size], data),
        dv: pypto.Tensor([any_size, any_size], data),
        scale: float,  # limit 3: computed by the host
    ):
        pypto.set_cube_tile_shapes(list(config.cube_m), list(config.cube_k), list(config.cube_n))
        if with_dq:
            if carry_q:
                for u in pypto.loop(0, bounds[0, 0], name="DQ_CARRIED", idx_name="u"):
                    sum_q = pypto.tensor([block_q, dim], fp32, "sum_q")
                    for c in pypto.loop(units_q[u, 5], name="DQ_CHUNK", idx_name="c"):
                        part_q = pypto.tensor([block_q, dim], fp32, "part_q")
                        at = units_q[u, 4] + c
                        query_share(
                            query, key, value, dout, lse, delta, units_q, u, chunks_q, at, width_q, scale, part_q
                        )
                        if pypto.is_loop_begin(c):  # limits 2, 9, 10: bare, a running sum
                            sum_q[:] = part_q
                        else:
                            add_to(sum_q, part_q, block_q, units_q, u)
                    store(sum_q, block_q, units_q, u, scale, dq)
            if width_q > 1:
                for u in pypto.loop(bounds[0, 0], bounds[0, 1], name="DQ_WIDE", idx_name="u"):
                    all_q = pypto.tensor([block_q, dim], fp32, "all_q")
                    at = units_q[u, 4]
                    query_share(query, key, value, dout, lse, delta, units_q, u, chunks_q, at, width_q, scale, all_q)
                    store(all_q, block_q, units_q, u, scale, dq)
            for u in pypto.loop(bounds[0, 1], bounds[0, 2], name="DQ_SINGLE", idx_name="u"):
                one_q = pypto.tensor([block_q, dim], fp32, "one_q")
                query_share(query, key, value, dout, lse, delta, units_q, u, chunks_q, units_q[u, 4], 1, scale, one_q)
                store(one_q, block_q, units_q, u, scale, dq)
        if with_dkv:
            if carry_kv:
                for u in pypto.loop(0, bounds[0, 3], name="DKV_CARRIED", idx_name="u"):
                    sum_k = pypto.tensor([block_kv, dim], fp32, "sum_k")
                    sum_v = pypto.tensor([block_kv, dim], fp32, "sum_v")
                    for c in pypto.loop(units_kv[u, 5], name="DKV_CHUNK", idx_name="c"):
                        part_k = pypto.tensor([block_kv, dim], fp32, "part_k")
                        part_v = pypto.tensor([block_kv, dim], fp32, "part_v")
                        at = units_kv[u, 4] + c
                        key_shares(
                            query,
                            key,
                            value,
                            dout,
                            lse,
                            delta,
                            units_kv,
                            u,
                            chunks_kv,
                            at,
                            width_kv,
                            scale,
                            part_k,
                            part_v,
                        )
                        if pypto.is_loop_begin(c):  # limits 2, 9, 10: bare, a running sum
                            sum_k[:] = part_k
                            sum_v[:] = part_v
                        else:
                            add_to(sum_k, part_k, block_kv, units_kv, u)
                            add_to(sum_v, part_v, block_kv, units_kv, u)
                    store(sum_k, block_kv, units_kv, u, scale, dk)
                    store(sum_v, block_kv, units_kv, u, None, dv)
            if width_kv > 1:
                for u in pypto.loop(bounds[0, 3], bounds[0, 4], name="DKV_WIDE", idx_name="u"):
                    all_k = pypto.tensor([block_kv, dim], fp32, "all_k")
                    all_v = pypto.tensor([block_kv, dim], fp32, "all_v")
                    at = units_kv[u, 4]
                    key_shares(
                        query, key, value, dout, lse, delta, units_kv, u, chunks_kv, at, width_kv, scale, all_k, all_v
                    )
                    store(all_k, block_kv, units_kv, u, scale, dk)
                    store(all_v, block_kv, units_kv, u, None, dv)
            for u in pypto.loop(bounds[0, 4], bounds[0, 5], name="DKV_SINGLE", idx_name="u"):
                one_k = pypto.tensor([block_kv, dim], fp32, "one_k")
                one_v = pypto.tensor([block_kv, dim], fp32, "one_v")
                at = units_kv[u, 4]
                key_shares(query, key, value, dout, lse, delta, units_kv, u, chunks_kv, at, 1, scale, one_k, one_v)
                store(one_k, block_kv, units_kv, u, scale, dk)
                store(one_v, block_kv, units_kv, u, None, dv)

    kernel: Callable[..., None] = block_sparse_attention_backward
    return kernel
