"""Limit 24: keywords of pypto.loop that do nothing."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def parallel(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i", parallel=True):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


def plain_loop(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


LIMIT = Limit(
    number=24,
    title=Text("parallel=True", "parallel=True"),
    statement=Text(
        "parallel=True and unknown keywords of pypto.loop are accepted and never read.",
        "pypto.loop 的 parallel=True 与未知关键字被接受但从不读取。",
    ),
    workaround=Text(
        "Leave it out; parallel iterations come from stitch_function_inner_memory.",
        "去掉它；迭代并行来自 stitch_function_inner_memory。",
    ),
    cause=Text(
        "loop takes any keyword and reads a few. A misspelt one has no effect and no error.",
        "loop 接受任意关键字，但只读取其中几个。拼错的关键字没有作用也不报错。",
    ),
    probes=(
        Probe(
            name="parallel",
            form="pypto.loop(2, parallel=True)",
            build=parallel,
            inputs=one_grid,
            answer=lambda x: x + 1,
            blind=Text(
                "right numbers; that it has no effect is seen in the time only", "数值正确；没有作用只能从时间看出"
            ),
            lint=("ignored-keyword",),
        ),
        Probe(
            name="plain-loop",
            form="pypto.loop(2)",
            build=plain_loop,
            inputs=one_grid,
            answer=lambda x: x + 1,
            role=WORKAROUND,
        ),
    ),
)
