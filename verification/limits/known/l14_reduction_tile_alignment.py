"""Limit 14: the last axis of a vector tile that is reduced."""

from verification.limits.inputs import grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def unaligned(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([64, 100], pypto.DT_FP32), y: pypto.Tensor([64, 1], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 100)
        y[:] = pypto.sum(x, -1, True)

    return kernel


def aligned(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([64, 100], pypto.DT_FP32), y: pypto.Tensor([64, 1], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.sum(x, -1, True)

    return kernel


def _total(x):
    return x.sum(-1, keepdim=True)


LIMIT = Limit(
    number=14,
    title=Text("Vector tiles of reductions", "归约的 vec tile"),
    statement=Text(
        "The last axis of a vector tile that is reduced must fill whole 32-byte blocks.",
        "被归约的 vec tile 末轴必须按 32 字节对齐。",
    ),
    workaround=Text("A tile wider than the axis: 128 over 100 columns.", "使用比该轴更宽的 tile：100 列用 128。"),
    cause=Text(
        "A reduction reads whole 32-byte blocks. The tile has to be aligned, the tensor does not: what lies beyond "
        "its columns is not read.",
        "归约按 32 字节整块读取。需要对齐的是 tile 而不是张量：张量列数之外的内容不会被读取。",
    ),
    probes=(
        Probe(
            name="tile-of-100",
            form="pypto.set_vec_tile_shapes(64, 100); pypto.sum(x, -1, True)",
            build=unaligned,
            inputs=lambda _call: (grid(64, 100),),
            answer=_total,
            signature="32Byte align",
        ),
        Probe(
            name="tile-of-128",
            form="pypto.set_vec_tile_shapes(64, 128); pypto.sum(x, -1, True)",
            build=aligned,
            inputs=lambda _call: (grid(64, 100),),
            answer=_total,
            role=WORKAROUND,
        ),
    ),
    stress=("pairwise/*",),
)
