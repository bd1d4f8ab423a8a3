"""Limit 3: powers and roots of a symbolic size."""

import math

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text

_ROOT = 128**-0.5


def power(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        scale = x.shape[0] ** -0.5
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.mul(pypto.view(x, [64, 128], [i * 64, 0]), scale), [i * 64, 0], y)

    return kernel


def math_sqrt(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        scale = math.sqrt(x.shape[0])
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.mul(pypto.view(x, [64, 128], [i * 64, 0]), scale), [i * 64, 0], y)

    return kernel


def times_a_float(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        scale = x.shape[0] * 0.5
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.mul(pypto.view(x, [64, 128], [i * 64, 0]), scale), [i * 64, 0], y)

    return kernel


def closure(pypto):
    n = pypto.DYNAMIC
    scale = _ROOT

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.mul(pypto.view(x, [64, 128], [i * 64, 0]), scale), [i * 64, 0], y)

    return kernel


LIMIT = Limit(
    number=3,
    title=Text("SymbolicScalar ** -0.5", "SymbolicScalar ** -0.5"),
    statement=Text(
        "SymbolicScalar ** -0.5 is not supported.",
        "SymbolicScalar ** -0.5 不支持。",
    ),
    workaround=Text(
        "Compute it outside the kernel as a Python float and capture it.",
        "kernel 外计算为 Python float，闭包捕获。",
    ),
    cause=Text(
        "A symbolic scalar is an integer expression for addresses and counts: it has no powers, no roots and no "
        "products "
        "with a float.",
        "符号标量是用于地址与循环次数的整数表达式：没有幂、没有开方，也不能乘以浮点数。",
    ),
    probes=(
        Probe(
            name="power",
            form="x.shape[0] ** -0.5",
            build=power,
            inputs=one_grid,
            answer=lambda x: x * _ROOT,
            signature=r"unsupported operand type\(s\) for \*\*",
            lint=("symbolic-power",),
        ),
        Probe(
            name="math-sqrt",
            form="math.sqrt(x.shape[0])",
            build=math_sqrt,
            inputs=one_grid,
            answer=lambda x: x * 128**0.5,
            signature="Not concrete value|must be real number",
            lint=("symbolic-power",),
        ),
        Probe(
            name="times-a-float",
            form="x.shape[0] * 0.5",
            build=times_a_float,
            inputs=one_grid,
            answer=lambda x: x * 64,
            signature="has no attribute '_base'|unsupported operand",
            lint=("symbolic-power",),
        ),
        Probe(
            name="closure",
            form="scale, a Python float of the enclosing function",
            build=closure,
            inputs=one_grid,
            answer=lambda x: x * _ROOT,
            role=WORKAROUND,
        ),
    ),
    stress=("published/*",),
)
