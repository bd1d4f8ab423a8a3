"""Limit 17: assemble into an output of another dtype."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def other_dtype(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP16)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


def cast_first(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP16)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0)
            pypto.assemble(pypto.cast(part, pypto.DT_FP16), [i * 64, 0], y)

    return kernel


LIMIT = Limit(
    number=17,
    title=Text("assemble into another dtype", "assemble 到不同 dtype 的输出"),
    statement=Text(
        "assemble refuses a tile whose dtype is not the output's.", "tile 与输出 dtype 不同时 assemble 拒绝执行。"
    ),
    workaround=Text("Cast the tile first.", "先 cast tile。"),
    cause=Text("assemble moves bytes and converts nothing.", "assemble 只搬运字节，不做类型转换。"),
    probes=(
        Probe(
            name="fp32-into-fp16",
            form="pypto.assemble(tile_fp32, …, y_fp16)",
            build=other_dtype,
            inputs=one_grid,
            answer=lambda x: (x + 1).half(),
            signature="same dtype",
        ),
        Probe(
            name="cast-first",
            form="pypto.assemble(pypto.cast(tile, pypto.DT_FP16), …, y_fp16)",
            build=cast_first,
            inputs=one_grid,
            answer=lambda x: (x + 1).half(),
            role=WORKAROUND,
        ),
    ),
    stress=("published/*",),
)
