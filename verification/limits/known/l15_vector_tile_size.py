"""Limit 15: the size of a vector tile."""

from verification.limits.inputs import grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def large(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 1024], pypto.DT_FP32), y: pypto.Tensor([128, 1024], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(128, 1024)
        y[:] = pypto.mul(pypto.exp(x), 2.0)

    return kernel


def fitting(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 1024], pypto.DT_FP32), y: pypto.Tensor([128, 1024], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(16, 1024)
        y[:] = pypto.mul(pypto.exp(x), 2.0)

    return kernel


def _answer(x):
    return x.double().exp() * 2


LIMIT = Limit(
    number=15,
    title=Text("Size of vector tiles", "vec tile 的大小"),
    statement=Text(
        "A vector tile that does not fit the vector buffer ends in Run pass failed., without a detail.",
        "vec tile 放不进向量缓冲区时只报 Run pass failed.，没有细节。",
    ),
    workaround=Text(
        "At most 16384 FP32 elements a tile: [16, 1024].", "每个 tile 至多 16384 个 FP32 元素：[16, 1024]。"
    ),
    cause=Text(
        "The buffer of a vector core holds 192 KiB, and an operation keeps its operands and its result there, twice "
        "where it overlaps copying with computing.",
        "每个向量核的缓冲区为 192 KiB，运算的操作数与结果都在其中；搬运与计算重叠时还要加倍。",
    ),
    probes=(
        Probe(
            name="128-1024",
            form="pypto.set_vec_tile_shapes(128, 1024)",
            build=large,
            inputs=lambda _call: (grid(128, 1024),),
            answer=_answer,
            signature="Run pass failed",
        ),
        Probe(
            name="16-1024",
            form="pypto.set_vec_tile_shapes(16, 1024)",
            build=fitting,
            inputs=lambda _call: (grid(128, 1024),),
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=("perf/*",),
)
