"""Limit 27: a loop with an unroll_list that begins elsewhere than at 0."""

from typing import Any

from verification.limits.inputs import grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def begin(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(1, 4, name="ROWS", idx_name="j", unroll_list=[2, 1]):
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def begin_of_a_table(pypto):
    @pypto.frontend.jit()
    def kernel(
        x: pypto.Tensor([160, 128], pypto.DT_FP32),
        t: pypto.Tensor([1, 2], pypto.DT_INT32),
        y: pypto.Tensor([160, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(t[0, 0], t[0, 1], name="ROWS", idx_name="j", unroll_list=[2, 1]):
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def twice(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([32, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(1, 5, name="SUM", idx_name="j", unroll_list=[2, 1]):
            y[:] = y + pypto.view(x, [32, 128], [j * 32, 0])

    return kernel


def before_the_begin(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(2, 4, name="ROWS", idx_name="j", unroll_list=[8, 1]):
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def without_one(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(3, name="ROWS", idx_name="j", unroll_list=[2]):
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def step_of_loop_unroll(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j, factor in pypto.loop_unroll(1, 4, 2, name="ROWS", idx_name="j", unroll_list=[2, 1]):
            for turn in range(factor):
                at = (j + turn * 2) * 32
                pypto.assemble(pypto.add(pypto.view(x, [32, 128], [at, 0]), 1.0), [at, 0], y)

    return kernel


def loop_unroll(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j, factor in pypto.loop_unroll(1, 4, name="ROWS", idx_name="j", unroll_list=[2, 1]):
            for turn in range(factor):
                at = (j + turn) * 32
                pypto.assemble(pypto.add(pypto.view(x, [32, 128], [at, 0]), 1.0), [at, 0], y)

    return kernel


def multiple(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(2, 5, name="ROWS", idx_name="j", unroll_list=[2, 1]):
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def no_list(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([160, 128], pypto.DT_FP32), y: pypto.Tensor([160, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 128)
        for j in pypto.loop(1, 4, name="ROWS", idx_name="j"):
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def from_zero(pypto):
    @pypto.frontend.jit()
    def kernel(
        x: pypto.Tensor([160, 128], pypto.DT_FP32),
        t: pypto.Tensor([1, 2], pypto.DT_INT32),
        y: pypto.Tensor([160, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(32, 128)
        for k in pypto.loop(t[0, 1] - t[0, 0], name="ROWS", idx_name="k", unroll_list=[2, 1]):
            j = t[0, 0] + k
            pypto.assemble(pypto.add(pypto.view(x, [32, 128], [j * 32, 0]), 1.0), [j * 32, 0], y)

    return kernel


def _blocks(_call: int) -> tuple[Any, ...]:
    """FP32 ``[160, 128]``, five blocks of 32 rows: one more than the loops come to."""
    return (grid(160, 128),)


def _blocks_and_bounds(_call: int) -> tuple[Any, ...]:
    import torch

    return grid(160, 128), torch.tensor([[1, 4]], dtype=torch.int32)


def _written(begin: int, end: int, step: int = 1) -> Any:
    """The answer of a loop over the blocks of ``range(begin, end, step)``: x + 1 there, 0 elsewhere."""

    def answer(x: Any, *_bounds: Any) -> Any:
        y = x.new_zeros(160, 128)
        for j in range(begin, end, step):
            y[32 * j : 32 * (j + 1)] = x[32 * j : 32 * (j + 1)] + 1
        return y

    return answer


def _sum(x: Any) -> Any:
    return x.view(5, 32, 128)[1:].sum(0)


LIMIT = Limit(
    number=27,
    title=Text("unroll_list and the begin of a loop", "unroll_list 与循环起点"),
    statement=Text(
        "With an unroll_list, a loop that does not begin at 0 runs iterations that are not its own, or one twice; "
        "without a 1 in the list, it runs past its end.",
        "带 unroll_list 的循环若不从 0 开始，会执行不属于它的迭代，或把某次迭代执行两遍；列表中没有 1 时会越过终点。",
    ),
    workaround=Text(
        "Loop from 0, add the begin inside, and have a 1 in the list.",
        "从 0 开始循环，在循环体内加上起点，并在列表中包含 1。",
    ),
    cause=Text(
        "Each factor takes its passes up to the end less (end mod step x factor), where (end - begin) is meant, and "
        "the next factor goes on from there. So loop(1, 4) with [2, 1] runs 1 to 4, loop(1, 5) runs 4 twice, "
        "loop(1, 1) runs 0, and loop(2, 4) with [8, 1] runs 0 and 1 too. A begin that is a multiple of step x the "
        "largest factor is right; the smallest factor runs whole passes to the end. Numbers and tables as bounds "
        "alike, all pass filters alike. pypto.loop_unroll takes (end - begin), and is right for a step of 1; with "
        "another step it loses the last iteration unless the step divides (end - begin).",
        "每个因子执行到 end - (end mod step x factor) 为止，而本应使用 (end - begin)，下一个因子从那里继续。"
        "因此 [2, 1] 时 loop(1, 4) 执行 1 到 4，loop(1, 5) 把 4 执行两遍，loop(1, 1) 执行 0；[8, 1] 时 loop(2, 4) "
        "还会执行 0 和 1。起点是 step x 最大因子的倍数时正确；最小因子总是执行完整的一轮。边界是数字还是表项、"
        "使用哪种 pass filter 都一样。pypto.loop_unroll 使用 (end - begin)，步长为 1 时正确；步长不整除 "
        "(end - begin) 时会丢失最后一次迭代。",
    ),
    probes=(
        Probe(
            name="begin",
            form="for j in pypto.loop(1, 4, unroll_list=[2, 1]):",
            build=begin,
            inputs=_blocks,
            answer=_written(1, 4),
            fill=0.0,
            lint=("unroll-list",),
        ),
        Probe(
            name="begin-of-a-table",
            form="for j in pypto.loop(t[0, 0], t[0, 1], unroll_list=[2, 1]):",
            build=begin_of_a_table,
            inputs=_blocks_and_bounds,
            answer=_written(1, 4),
            fill=0.0,
            lint=("unroll-list",),
        ),
        Probe(
            name="twice",
            form="for j in pypto.loop(1, 5, unroll_list=[2, 1]): y[:] = y + …",
            build=twice,
            inputs=_blocks,
            answer=_sum,
            fill=0.0,
            lint=("unroll-list",),
        ),
        Probe(
            name="before-the-begin",
            form="for j in pypto.loop(2, 4, unroll_list=[8, 1]):",
            build=before_the_begin,
            inputs=_blocks,
            answer=_written(2, 4),
            fill=0.0,
            lint=("unroll-list",),
        ),
        Probe(
            name="without-one",
            form="for j in pypto.loop(3, unroll_list=[2]):",
            build=without_one,
            inputs=_blocks,
            answer=_written(0, 3),
            fill=0.0,
            lint=("unroll-list",),
        ),
        Probe(
            name="step-of-loop-unroll",
            form="for j, factor in pypto.loop_unroll(1, 4, 2, unroll_list=[2, 1]):",
            build=step_of_loop_unroll,
            inputs=_blocks,
            answer=_written(1, 4, 2),
            fill=0.0,
        ),
        Probe(
            name="loop-unroll",
            form="for j, factor in pypto.loop_unroll(1, 4, unroll_list=[2, 1]):",
            build=loop_unroll,
            inputs=_blocks,
            answer=_written(1, 4),
            role=NEIGHBOUR,
            fill=0.0,
        ),
        Probe(
            name="multiple",
            form="for j in pypto.loop(2, 5, unroll_list=[2, 1]):",
            build=multiple,
            inputs=_blocks,
            answer=_written(2, 5),
            role=NEIGHBOUR,
            fill=0.0,
        ),
        Probe(
            name="no-list",
            form="for j in pypto.loop(1, 4):",
            build=no_list,
            inputs=_blocks,
            answer=_written(1, 4),
            role=NEIGHBOUR,
            fill=0.0,
        ),
        Probe(
            name="from-zero",
            form="for k in pypto.loop(t[0, 1] - t[0, 0], unroll_list=[2, 1]): j = t[0, 0] + k",
            build=from_zero,
            inputs=_blocks_and_bounds,
            answer=_written(1, 4),
            role=WORKAROUND,
            fill=0.0,
        ),
    ),
)
