"""Limit 20: pypto.zeros with a list."""

from verification.limits.inputs import one_grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def zeros_of_a_list(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            pypto.assemble(pypto.add(part, pypto.zeros([64, 128], pypto.DT_FP32)), [i * 64, 0], y)

    return kernel


def zeros_of_sizes(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            pypto.assemble(pypto.add(part, pypto.zeros(64, 128, dtype=pypto.DT_FP32)), [i * 64, 0], y)

    return kernel


def full(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            pypto.assemble(pypto.add(part, pypto.full([64, 128], 0.0, pypto.DT_FP32)), [i * 64, 0], y)

    return kernel


LIMIT = Limit(
    number=20,
    title=Text("pypto.zeros", "pypto.zeros"),
    statement=Text(
        "pypto.zeros([64, 128], dtype) fails with a TypeError of Full().",
        "pypto.zeros([64, 128], dtype) 因 Full() 的 TypeError 失败。",
    ),
    workaround=Text("pypto.full(size, 0.0, dtype).", "pypto.full(size, 0.0, dtype)。"),
    cause=Text(
        "zeros takes its sizes one by one and the dtype by keyword only; a dtype in second place counts as a size.",
        "zeros 逐个接收尺寸，dtype 只能用关键字传入；放在第二个位置的 dtype 会被当作尺寸。",
    ),
    probes=(
        Probe(
            name="list-and-dtype",
            form="pypto.zeros([64, 128], pypto.DT_FP32)",
            build=zeros_of_a_list,
            inputs=one_grid,
            answer=lambda x: x,
            signature="TypeError",
            lint=("zeros",),
        ),
        Probe(
            name="sizes-and-keyword",
            form="pypto.zeros(64, 128, dtype=pypto.DT_FP32)",
            build=zeros_of_sizes,
            inputs=one_grid,
            answer=lambda x: x,
            role=NEIGHBOUR,
        ),
        Probe(
            name="full",
            form="pypto.full([64, 128], 0.0, pypto.DT_FP32)",
            build=full,
            inputs=one_grid,
            answer=lambda x: x,
            role=WORKAROUND,
        ),
    ),
)
