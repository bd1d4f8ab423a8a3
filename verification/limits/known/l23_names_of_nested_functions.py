"""Limit 23: names of a nested kernel function."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def same_name(pypto):
    @pypto.frontend.function
    def add_one(source, first, total):
        total[:] = pypto.add(pypto.view(source, [64, 128], [first, 0]), 1.0)

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            first = i * 64
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            add_one(x, 64 - first, total)
            pypto.assemble(total, [first, 0], y)

    return kernel


def other_name(pypto):
    @pypto.frontend.function
    def add_one(source, place, total):
        total[:] = pypto.add(pypto.view(source, [64, 128], [place, 0]), 1.0)

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            first = i * 64
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            add_one(x, 64 - first, total)
            pypto.assemble(total, [first, 0], y)

    return kernel


def _swapped(x):
    return x.roll(64, 0) + 1


LIMIT = Limit(
    number=23,
    title=Text("Names of nested functions", "嵌套函数的变量名"),
    statement=Text(
        "A pypto.frontend.function has no names of its own: a parameter or local that the caller uses too is the "
        "caller's.",
        "pypto.frontend.function 没有自己的名字空间：与调用者同名的参数或局部变量就是调用者的变量。",
    ),
    workaround=Text("Other names inside.", "函数内使用不同的名字。"),
    cause=Text(
        "The parser keeps one table of variables. Passing an argument changes the caller's variable of that name, "
        "and what is traced after the call computes with the changed one.",
        "解析器只有一张变量表。传参会改变调用者的同名变量，调用之后追踪到的代码用的是改变后的值。",
    ),
    probes=(
        Probe(
            name="same-name",
            form="def add_one(source, first, total) called as add_one(x, 64 - first, total)",
            build=same_name,
            inputs=one_grid,
            answer=_swapped,
            lint=("shared-name",),
        ),
        Probe(
            name="other-name",
            form="def add_one(source, place, total)",
            build=other_name,
            inputs=one_grid,
            answer=_swapped,
            role=WORKAROUND,
        ),
    ),
    stress=("field/*",),
)
