"""Limit 16: Python's min and max of symbolic scalars."""

from verification.limits.inputs import grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def builtin_min(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    return kernel


def builtin_max(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = 64 - max(i * 28, 0)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    return kernel


def method_min(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = (100 - i * 64).min(64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    return kernel


def pypto_min(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    return kernel


LIMIT = Limit(
    number=16,
    title=Text("Python's min and max", "Python 的 min 与 max"),
    statement=Text(
        "min and max of Python fail on symbolic scalars: Not concrete value.",
        "Python 的 min、max 不能用于符号标量：Not concrete value。",
    ),
    workaround=Text("pypto.min(a, b), or a.min(b).", "pypto.min(a, b) 或 a.min(b)。"),
    cause=Text(
        "They compare, and a comparison of symbols has no truth value while the kernel is traced.",
        "它们要比较大小，而符号的比较在追踪 kernel 时没有真值。",
    ),
    probes=(
        Probe(
            name="min",
            form="min(100 - i * 64, 64)",
            build=builtin_min,
            inputs=lambda _call: (grid(100, 128),),
            answer=lambda x: x + 1,
            signature="Not concrete value",
            lint=("python-min-max",),
        ),
        Probe(
            name="max",
            form="max(i * 28, 0)",
            build=builtin_max,
            inputs=lambda _call: (grid(100, 128),),
            answer=lambda x: x + 1,
            signature="Not concrete value",
            lint=("python-min-max",),
        ),
        Probe(
            name="method",
            form="(100 - i * 64).min(64)",
            build=method_min,
            inputs=lambda _call: (grid(100, 128),),
            answer=lambda x: x + 1,
            role=NEIGHBOUR,
        ),
        Probe(
            name="pypto-min",
            form="pypto.min(100 - i * 64, 64)",
            build=pypto_min,
            inputs=lambda _call: (grid(100, 128),),
            answer=lambda x: x + 1,
            role=WORKAROUND,
        ),
    ),
    stress=("*tails*",),
)
