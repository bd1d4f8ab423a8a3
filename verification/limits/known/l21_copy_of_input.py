"""Limit 21: an input that is assigned to an output as it is."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def assign_input(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = x

    return kernel


def assemble_view(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.view(x, [64, 128], [i * 64, 0]), [i * 64, 0], y)

    return kernel


def clone(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.clone(x)

    return kernel


LIMIT = Limit(
    number=21,
    title=Text("Assigning an input to an output", "把输入参数赋给输出"),
    statement=Text(
        "y[:] = x of a parameter leaves the output untouched, without an error.",
        "把输入参数直接赋给输出，输出保持原样且不报错。",
    ),
    workaround=Text("pypto.clone(x), or assemble.", "pypto.clone(x) 或 assemble。"),
    cause=Text(
        "The assignment makes the output another name of the input; no operation is recorded that would copy anything.",
        "该赋值只是让输出成为输入的别名，没有记录任何搬运操作。",
    ),
    probes=(
        Probe(
            name="assign",
            form="y[:] = x",
            build=assign_input,
            inputs=one_grid,
            answer=lambda x: x,
            lint=("copied-input",),
        ),
        Probe(
            name="assemble",
            form="pypto.assemble(pypto.view(x, …), …, y)",
            build=assemble_view,
            inputs=one_grid,
            answer=lambda x: x,
            role=WORKAROUND,
        ),
        Probe(
            name="clone",
            form="y[:] = pypto.clone(x)",
            build=clone,
            inputs=one_grid,
            answer=lambda x: x,
            role=WORKAROUND,
        ),
    ),
)
