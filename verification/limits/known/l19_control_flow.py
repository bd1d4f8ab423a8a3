"""Limit 19: statements that the parser of kernels refuses."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def early_return(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)
        if pypto.is_loop_begin(i):
            return

    return kernel


def while_loop(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        row = 0
        while row < 128:
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [row, 0]), 1.0), [row, 0], y)
            row = row + 64

    return kernel


def ternary(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            added = 1.0 if pypto.is_loop_begin(i) else 2.0
            pypto.assemble(pypto.add(part, added), [i * 64, 0], y)

    return kernel


def begin_of_expression(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.is_loop_begin(i % 2):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def plain_statements(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if i == 0:
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def _answer(x):
    y = x + 2
    y[:64] -= 1
    return y


LIMIT = Limit(
    number=19,
    title=Text("return, while, ternary", "return、while、三元表达式"),
    statement=Text(
        "return, while, a ternary on a symbolic condition and is_loop_begin of an expression are refused at trace.",
        "return、while、符号条件的三元表达式、对表达式使用 is_loop_begin，在追踪时被拒绝。",
    ),
    workaround=Text(
        "for over pypto.loop, if and else as statements, is_loop_begin of the loop variable itself.",
        "用 pypto.loop 的 for、语句形式的 if/else，is_loop_begin 只用于循环变量本身。",
    ),
    cause=Text(
        "The parser turns statements into a graph, one kind at a time, and knows no others; an expression is "
        "evaluated by Python, which asks a symbol for a truth value that it does not have.",
        "解析器逐类把语句转换为图，不认识其他语句；表达式由 Python 求值，会向符号索取并不存在的真值。",
    ),
    probes=(
        Probe(
            name="return",
            form="return in a kernel",
            build=early_return,
            inputs=one_grid,
            answer=lambda x: x + 1,
            signature=".",
            lint=("control-flow",),
        ),
        Probe(
            name="while",
            form="while row < 128:",
            build=while_loop,
            inputs=one_grid,
            answer=lambda x: x + 1,
            signature=".",
            lint=("control-flow",),
        ),
        Probe(
            name="ternary",
            form="1.0 if pypto.is_loop_begin(i) else 2.0",
            build=ternary,
            inputs=one_grid,
            answer=_answer,
            signature="Not concrete value",
            lint=("control-flow",),
        ),
        Probe(
            name="begin-of-expression",
            form="pypto.is_loop_begin(i % 2)",
            build=begin_of_expression,
            inputs=one_grid,
            answer=_answer,
            signature=".",
            lint=("control-flow",),
        ),
        Probe(
            name="if-and-for",
            form="for i in pypto.loop(…): if i == 0: … else: …",
            build=plain_statements,
            inputs=one_grid,
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
)
