"""Limit 7: an output that is reshaped and then assembled into."""

from verification.limits.inputs import one_grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def reshape_outside_the_loop(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(1, 64, 128)
        whole = pypto.reshape(y, [2, 64, 128])
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.reshape(pypto.view(x, [64, 128], [i * 64, 0]), [1, 64, 128])
            pypto.assemble(pypto.add(part, 1.0), [i, 0, 0], whole)

    return kernel


def reshape_inside_the_loop(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(1, 64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            whole = pypto.reshape(y, [2, 64, 128])
            part = pypto.reshape(pypto.view(x, [64, 128], [i * 64, 0]), [1, 64, 128])
            pypto.assemble(pypto.add(part, 1.0), [i, 0, 0], whole)

    return kernel


def reshape_the_tile(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(1, 64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.add(pypto.reshape(pypto.view(x, [64, 128], [i * 64, 0]), [1, 64, 128]), 1.0)
            pypto.set_vec_tile_shapes(64, 128)
            pypto.assemble(pypto.reshape(part, [64, 128]), [i * 64, 0], y)

    return kernel


def output_of_three_axes(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([2, 64, 128], pypto.DT_FP32), y: pypto.Tensor([2, 64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(1, 64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [1, 64, 128], [i, 0, 0]), 1.0), [i, 0, 0], y)

    return kernel


LIMIT = Limit(
    number=7,
    title=Text("assemble into a reshaped output", "pypto.assemble + reshape 冲突"),
    statement=Text("pypto.assemble conflicts with reshape.", "pypto.assemble + reshape 冲突。"),
    workaround=Text(
        "Hand the output over in three axes and do not reshape it in the kernel.",
        "输出 tensor 传 3D，避免 kernel 内 reshape。",
    ),
    cause=Text(
        "A reshape of the output is a tensor of its own. Outside the loop, what is assembled into it never reaches the "
        "output, without an error; inside the loop, the output would be read and assembled in one iteration, which is "
        "refused. Reshaping the tile before it is assembled is fine.",
        "对输出做 reshape 得到另一个张量。在循环外，写入它的数据不会到达输出且没有报错；在循环内，"
        "同一迭代既读又写输出，因而被拒绝。先 reshape tile 再 assemble 没有问题。",
    ),
    probes=(
        Probe(
            name="outside-the-loop",
            form="whole = pypto.reshape(y, …) before the loop; pypto.assemble(…, whole)",
            build=reshape_outside_the_loop,
            inputs=one_grid,
            answer=lambda x: x + 1,
            lint=("reshaped-output",),
        ),
        Probe(
            name="inside-the-loop",
            form="whole = pypto.reshape(y, …) in the loop; pypto.assemble(…, whole)",
            build=reshape_inside_the_loop,
            inputs=one_grid,
            answer=lambda x: x + 1,
            signature="mix assemble and common operation for same output",
            lint=("reshaped-output",),
        ),
        Probe(
            name="the-tile",
            form="pypto.assemble(pypto.reshape(tile, …), …, y)",
            build=reshape_the_tile,
            inputs=one_grid,
            answer=lambda x: x + 1,
            role=NEIGHBOUR,
        ),
        Probe(
            name="three-axes",
            form="y: pypto.Tensor([2, 64, 128], …)",
            build=output_of_three_axes,
            inputs=lambda _call: tuple(x.view(2, 64, 128) for x in one_grid(0)),
            answer=lambda x: x + 1,
            role=WORKAROUND,
        ),
    ),
    stress=("published/*",),
)
