"""Limit 18: an output that is read, changed and assembled into."""

from verification.limits.inputs import one_grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def view_add_assemble(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            before = pypto.view(y, [64, 128], [0, 0])
            pypto.assemble(pypto.add(before, pypto.view(x, [64, 128], [i * 64, 0])), [0, 0], y)

    return kernel


def in_place(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([128, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            y[:] = y + pypto.view(x, [64, 128], [i * 64, 0])

    return kernel


def _answer(x):
    return x[:64] + x[64:]


LIMIT = Limit(
    number=18,
    title=Text("Reading and assembling one output", "对同一输出既读又 assemble"),
    statement=Text(
        "view(y), add and assemble into y fail: Operation already in a group.",
        "view(y)、add 再 assemble 到 y 会失败：Operation already in a group。",
    ),
    workaround=Text("y[:] = y + x in the loop accumulates rightly.", "在循环里写 y[:] = y + x，可正确累加。"),
    cause=Text(
        "One iteration would read and place parts of one tensor, an order that the graph has no place for; an "
        "assignment of the whole tensor has one.",
        "同一迭代中对同一张量既读又放置，图中无法表达其先后；整体赋值则可以。",
    ),
    probes=(
        Probe(
            name="view-add-assemble",
            form="pypto.assemble(pypto.add(pypto.view(y, …), x), [0, 0], y)",
            build=view_add_assemble,
            inputs=one_grid,
            answer=_answer,
            signature="already in a group|mix assemble",
            fill=0.0,
            lint=("double-assemble", "update-by-assemble"),
        ),
        Probe(
            name="in-place",
            form="y[:] = y + x",
            build=in_place,
            inputs=one_grid,
            answer=_answer,
            role=WORKAROUND,
            fill=0.0,
        ),
    ),
)
