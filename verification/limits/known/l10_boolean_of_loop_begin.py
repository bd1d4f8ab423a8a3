"""Limit 10: Python's and, or, not on the conditions of a loop."""

from verification.limits.inputs import one_grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def begin_and(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.is_loop_begin(i) and x.shape[0] > 64:
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def begin_or(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.is_loop_begin(i) or pypto.is_loop_end(i):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def not_begin(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if not pypto.is_loop_begin(i):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def true_and_begin(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if True and pypto.is_loop_begin(i):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def nested_if(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.is_loop_begin(i):
                if x.shape[0] > 64:
                    pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
                else:
                    pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def _first_less(x):
    y = x + 2
    y[:64] -= 1
    return y


def _all_one(x):
    return x + 1


def _rest_less(x):
    y = x + 1
    y[:64] += 1
    return y


LIMIT = Limit(
    number=10,
    title=Text("and with is_loop_begin", "and + is_loop_begin"),
    statement=Text("and with is_loop_begin raises a ValueError.", "and + is_loop_begin 触发 ValueError。"),
    workaround=Text("Nested ifs in place of and.", "嵌套 if 代替 and。"),
    cause=Text(
        "Python's and, or and not ask their operand for a truth value, and a condition of the loop has none while the "
        "kernel is traced. Only the last operand of and / or is not asked: True and is_loop_begin(i) works. In larger "
        "kernels the error surfaces as REGISTER_COPY tile shape not set.",
        "Python 的 and、or、not 会对操作数求真值，而循环条件在追踪 kernel 时没有具体值。and / or 的最后一个操作数不被"
        "求值，"
        "所以 True and is_loop_begin(i) 可用。在较大的 kernel 中，错误会表现为 REGISTER_COPY tile shape not set。",
    ),
    probes=(
        Probe(
            name="and",
            form="if pypto.is_loop_begin(i) and n > 64:",
            build=begin_and,
            inputs=one_grid,
            answer=_first_less,
            signature="Not concrete value",
            lint=("boolean-of-condition",),
        ),
        Probe(
            name="or",
            form="if pypto.is_loop_begin(i) or pypto.is_loop_end(i):",
            build=begin_or,
            inputs=one_grid,
            answer=_all_one,
            signature="Not concrete value",
            lint=("boolean-of-condition",),
        ),
        Probe(
            name="not",
            form="if not pypto.is_loop_begin(i):",
            build=not_begin,
            inputs=one_grid,
            answer=_rest_less,
            signature="Not concrete value",
            lint=("boolean-of-condition",),
        ),
        Probe(
            name="reversed",
            form="if True and pypto.is_loop_begin(i):",
            build=true_and_begin,
            inputs=one_grid,
            answer=_first_less,
            role=NEIGHBOUR,
        ),
        Probe(
            name="nested-if",
            form="if pypto.is_loop_begin(i): if n > 64:",
            build=nested_if,
            inputs=one_grid,
            answer=_first_less,
            role=WORKAROUND,
        ),
    ),
    stress=(
        "field/*",
        "*small blocks*",
    ),
)
