"""Limit 26: what was assigned to an accumulator is empty afterwards."""

from verification.limits.inputs import one_grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def use_the_source(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for _u in pypto.loop(1, name="ONCE", idx_name="_u"):
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            share = pypto.mul(pypto.view(x, [64, 128], [0, 0]), 2.0)
            total[:] = share
            pypto.assemble(pypto.mul(share, 2.0), [0, 0], y)

    return kernel


def use_before(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for _u in pypto.loop(1, name="ONCE", idx_name="_u"):
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            share = pypto.mul(pypto.view(x, [64, 128], [0, 0]), 2.0)
            double = pypto.mul(share, 2.0)
            total[:] = share
            pypto.assemble(double, [0, 0], y)

    return kernel


def use_the_target(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for _u in pypto.loop(1, name="ONCE", idx_name="_u"):
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            share = pypto.mul(pypto.view(x, [64, 128], [0, 0]), 2.0)
            total[:] = share
            pypto.assemble(pypto.mul(total, 2.0), [0, 0], y)

    return kernel


def _answer(x):
    return 4 * x[:64]


LIMIT = Limit(
    number=26,
    title=Text("The source of an assignment", "赋值的来源"),
    statement=Text(
        "After total[:] = share the name share is empty; whatever uses it ends in 'Empty tensor' or kills the process.",
        "执行 total[:] = share 之后 share 变为空；再使用它会报 'Empty tensor'，或使进程崩溃。",
    ),
    workaround=Text(
        "Read the target from then on, or use the source before it is assigned.",
        "之后改为读取目标，或在赋值之前使用来源。",
    ),
    cause=Text(
        "The assignment moves the tensor instead of copying it. mul with a number notices; add, maximum, exp, view, "
        "clone, assemble and a second assignment of the same name end in a segmentation fault, without a word.",
        "赋值是移动而不是复制。mul 与标量相乘会报错；add、maximum、exp、view、clone、assemble 以及把同一名称"
        "再次赋值都会导致段错误，没有任何提示。",
    ),
    probes=(
        Probe(
            name="use-the-source",
            form="total[:] = share; pypto.mul(share, 2.0)",
            build=use_the_source,
            inputs=one_grid,
            answer=_answer,
            signature="Empty tensor",
            lint=("moved-source",),
        ),
        Probe(
            name="use-before",
            form="double = pypto.mul(share, 2.0); total[:] = share",
            build=use_before,
            inputs=one_grid,
            answer=_answer,
            role=NEIGHBOUR,
        ),
        Probe(
            name="use-the-target",
            form="total[:] = share; pypto.mul(total, 2.0)",
            build=use_the_target,
            inputs=one_grid,
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
)
