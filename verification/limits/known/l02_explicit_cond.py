"""Limit 2: pypto.cond() in an if of a kernel."""

from verification.limits.inputs import one_grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def explicit_cond(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.cond(pypto.is_loop_begin(i)):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def cond_in_plain_function(pypto):
    n = pypto.DYNAMIC

    def add_by_place(part, i, y):
        if pypto.cond(pypto.is_loop_begin(i)):
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
        else:
            pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            add_by_place(pypto.view(x, [64, 128], [i * 64, 0]), i, y)

    return kernel


def bare_if(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.is_loop_begin(i):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)
            else:
                pypto.assemble(pypto.add(part, 2.0), [i * 64, 0], y)

    return kernel


def _answer(x):
    y = x + 2
    y[:64] -= 1
    return y


LIMIT = Limit(
    number=2,
    title=Text("pypto.cond()", "pypto.cond()"),
    statement=Text(
        "pypto.cond() does not compile in a kernel: REGISTER_COPY tile shape not set.",
        "不支持 pypto.cond()：触发 REGISTER_COPY tile shape not set 错误。",
    ),
    workaround=Text("A bare if pypto.is_loop_begin(v):", "裸 if pypto.is_loop_begin(v):"),
    cause=Text(
        "The parser of jit functions already wraps the test of every if in a cond. An explicit one is wrapped twice; "
        "the REGISTER_COPY error is only what comes of the half-recorded graph. In a plain Python function that the "
        "kernel calls, nothing is wrapped, and there the explicit cond is right.",
        "jit 函数的解析器已把每个 if 的条件包成 cond，显式写出就包了两层；"
        "REGISTER_COPY 只是半途而废的图带来的后续错误。"
        "kernel 调用的普通 Python 函数里没有自动包装，显式 cond 在那里正确。",
    ),
    probes=(
        Probe(
            name="explicit-cond",
            form="if pypto.cond(pypto.is_loop_begin(i)):",
            build=explicit_cond,
            inputs=one_grid,
            answer=_answer,
            signature="must be a symbolic scalar or boolean",
            lint=("explicit-cond",),
        ),
        Probe(
            name="plain-function",
            form="if pypto.cond(…): in a plain function that the kernel calls",
            build=cond_in_plain_function,
            inputs=one_grid,
            answer=_answer,
            role=NEIGHBOUR,
        ),
        Probe(
            name="bare-if",
            form="if pypto.is_loop_begin(i):",
            build=bare_if,
            inputs=one_grid,
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=(
        "*small blocks*",
        "field/*",
    ),
)
