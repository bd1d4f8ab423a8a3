# mypy: disable-error-code="valid-type, no-untyped-def, untyped-decorator, misc"
# ruff: noqa: ANN001, ANN202, C901, PLR0915, PLR0917
# PyPTO reads the source of the kernel and evaluates its annotations: helpers inside, values as annotations, all in one.
"""The forward kernel: whole rows where they fit, chunks with a running softmax where they do not.

A row's scores against all its selected key blocks stand side by side in one tile, so that maximum, sum and
normalization are full-row operations and P V accumulates in the cube's own buffer. Rows are grouped by width; a group
that the call does not need has no iterations. What lies beyond the rows and keys that exist is outside every
valid_shape: it is never read as a number, whatever memory holds there.
"""

from collections.abc import Callable
from functools import cache

from bsa._pypto import load
from bsa.config import KernelConfig
from bsa.tables import PICK_COLUMNS, UNIT_COLUMNS

MINUS_INFINITY = float("-inf")


@cache
def build_forward(
    *,
    dtype: str,
    head_dim: int,
    block_shape: tuple[int, int],
    widths: tuple[int, ...],
    chunked: bool,
    config: KernelConfig,
    run_mode: str,
) -> Callable[..., None]:
    """Make the jit object; sizes, lengths, mask, layout and scale are arguments of its calls.

    Args:
        dtype: ``float16`` or ``bfloat16``.
        head_dim: D.
        block_shape: rows of a query block, of a key block.
        widths: key blocks of a row that one pass handles, ascending.
        chunked: whether rows of several chunks of the last width occur.
        config: tiles and options.
        run_mode: ``sim`` or ``npu``.

    Returns:
        A callable of (query, key, value, units, picks, groups, out, lse, scale) that writes the rows of out and lse
        that have a unit, and no other.
    """
    pypto = load()
    fp32, int32, any_size = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC
    data = {"float16": pypto.DT_FP16, "bfloat16": pypto.DT_BF16}[dtype]
    dim, (block_q, block_kv) = head_dim, block_shape
    groups_of_rows, most = len(widths), widths[-1]
    head_tile = (min(128, dim), dim)
    tiles = [config.vector_tile(width * block_kv) for width in widths]
    values_k = (config.values_k, config.gathered_k(block_kv, dim))

    @pypto.frontend.function
    def gather(query, key, value, picks, row, head, rows, head_kv, pick, places, scores, values):
        """Scores of one query block against ``places`` key blocks side by side, their values one below the other.

        PyPTO's parser gives a nested function no names of its own: one that the caller uses too is the caller's. So
        what differs from the caller's variables has another name here.
        """
        q = pypto.view(query, [block_q, dim], [row, head * dim], valid_shape=[rows, dim])
        for place in range(places):
            at, there = picks[pick + place, 0], picks[pick + place, 1]  # limit 23: not read by the caller afterwards
            k = pypto.view(key, [block_kv, dim], [at, head_kv * dim], valid_shape=[there, dim])
            v = pypto.view(value, [block_kv, dim], [at, head_kv * dim], valid_shape=[there, dim])
            pypto.assemble(pypto.matmul(q, k, fp32, b_trans=True), [0, place * block_kv], scores)
            pypto.assemble(v, [place * block_kv, 0], values)

    @pypto.frontend.jit(**config.jit_options(pypto, run_mode))
    def block_sparse_attention_forward(
        query: pypto.Tensor([any_size, any_size], data),
        key: pypto.Tensor([any_size, any_size], data),
        value: pypto.Tensor([any_size, any_size], data),
        units: pypto.Tensor([any_size, UNIT_COLUMNS], int32),
        picks: pypto.Tensor([any_size, PICK_COLUMNS], int32),
        groups: pypto.Tensor([any_size, 2], int32),
        out: pypto.Tensor([any_size, any_size], data),
        lse: pypto.Tensor([any_size, any_size], fp32),
        scale: float,  # limit 3: computed by the host
    ):
        for group in range(groups_of_rows):
            width = widths[group]
            for index in pypto.loop(groups[group, 1], name=f"ROWS_{width}", idx_name="index"):
                unit = groups[group, 0] + index
                row, head, rows, head_kv = units[unit, 0], units[unit, 1], units[unit, 2], units[unit, 3]
                first, keys = units[unit, 4], units[unit, 5]
                pypto.set_cube_tile_shapes(list(config.scores_m), list(head_tile), list(config.scores_n))
                pypto.set_vec_tile_shapes(tiles[group][0], tiles[group][1])
                if width == 1:
                    at = picks[first, 0]
                    q = pypto.view(query, [block_q, dim], [row, head * dim], valid_shape=[rows, dim])
                    k = pypto.view(key, [block_kv, dim], [at, head_kv * dim], valid_shape=[keys, dim])
                    values = pypto.view(value, [block_kv, dim], [at, head_kv * dim], valid_shape=[keys, dim])
                    scores = pypto.matmul(q, k, fp32, b_trans=True)
                else:
                    scores = pypto.tensor([block_q, width * block_kv], fp32, "scores")
                    values = pypto.tensor([width * block_kv, dim], data, "values")
                    gather(query, key, value, picks, row, head, rows, head_kv, first, width, scores, values)
                logits = pypto.mul(
                    pypto.view(scores, [block_q, width * block_kv], [0, 0], valid_shape=[rows, keys]), scale
                )
                maximum = pypto.amax(logits, -1, True)
                weights = pypto.exp(pypto.sub(logits, maximum))
                total = pypto.sum(weights, -1, True)  # limit 8: of FP32
                pypto.assemble(pypto.add(maximum, pypto.log(total)), [row, head], lse)  # limit 12: by rows
                share = pypto.cast(pypto.div(weights, total), data)
                pypto.set_cube_tile_shapes(list(config.values_m), list(values_k[width > 1]), list(head_tile))
                attended = pypto.view(values, [width * block_kv, dim], [0, 0], valid_shape=[keys, dim])
                pypto.assemble(pypto.matmul(share, attended, data), [row, head * dim], out)  # limit 17: its dtype
        if chunked:
            for index in pypto.loop(groups[groups_of_rows, 1], name="ROWS_CHUNKED", idx_name="index"):
                unit = groups[groups_of_rows, 0] + index
                row, head, rows, head_kv = units[unit, 0], units[unit, 1], units[unit, 2], units[unit, 3]
                first, keys = units[unit, 4], units[unit, 5]
                pypto.set_vec_tile_shapes(config.accumulate[0], config.accumulate[1])
                highest = pypto.full([block_q, 1], MINUS_INFINITY, fp32, valid_shape=[rows, 1])
                sum_so_far = pypto.full([block_q, 1], 0.0, fp32, valid_shape=[rows, 1])  # limit 20: not zeros
                out_so_far = pypto.full([block_q, dim], 0.0, fp32, valid_shape=[rows, dim])
                for chunk in pypto.loop(units[unit, 6], name="CHUNK", idx_name="chunk"):
                    pypto.set_cube_tile_shapes(list(config.scores_m), list(head_tile), list(config.scores_n))
                    pypto.set_vec_tile_shapes(tiles[-1][0], tiles[-1][1])
                    scores = pypto.tensor([block_q, most * block_kv], fp32, "scores")
                    values = pypto.tensor([most * block_kv, dim], data, "values")
                    start = first + chunk * most
                    gather(query, key, value, picks, row, head, rows, head_kv, start, most, scores, values)
                    left = pypto.min(keys - chunk * (most * block_kv), most * block_kv)  # limit 16: not Python's
                    logits = pypto.mul(
                        pypto.view(scores, [block_q, most * block_kv], [0, 0], valid_shape=[rows, left]), scale
                    )
                    before = pypto.view(highest, [block_q, 1], [0, 0], valid_shape=[rows, 1])  # limit 25: again
                    maximum = pypto.maximum(before, pypto.amax(logits, -1, True))
                    weights = pypto.exp(pypto.sub(logits, maximum))
                    fade = pypto.exp(pypto.sub(before, maximum))
                    sum_before = pypto.view(sum_so_far, [block_q, 1], [0, 0], valid_shape=[rows, 1])  # limit 25: again
                    total = pypto.add(pypto.mul(sum_before, fade), pypto.sum(weights, -1, True))
                    share = pypto.cast(weights, data)
                    pypto.set_cube_tile_shapes(list(config.values_m), list(values_k[most > 1]), list(head_tile))
                    attended = pypto.view(values, [most * block_kv, dim], [0, 0], valid_shape=[left, dim])
                    added = pypto.matmul(share, attended, fp32)
                    pypto.set_vec_tile_shapes(config.accumulate[0], config.accumulate[1])
                    out_before = pypto.view(out_so_far, [block_q, dim], [0, 0], valid_shape=[rows, dim])
                    collected = pypto.add(pypto.mul(out_before, fade), added)
                    if pypto.is_loop_end(chunk):  # limits 2, 9, 10: bare, and written once
                        pypto.assemble(pypto.add(maximum, pypto.log(total)), [row, head], lse)  # limit 12: by rows
                        pypto.assemble(pypto.cast(pypto.div(collected, total), data), [row, head * dim], out)
                    else:
                        highest[:] = maximum
                        sum_so_far[:] = total
                        out_so_far[:] = collected

    kernel: Callable[..., None] = block_sparse_attention_forward
    return kernel
