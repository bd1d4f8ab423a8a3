"""Limit 1: axes whose size is only known at the call."""

from verification.limits.inputs import grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def named_axis(pypto):
    n = pypto.frontend.dynamic("n")

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


def dynamic_axis(pypto):
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


def static_axis(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([64, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.add(x, 1.0)

    return kernel


def _sizes(call: int):
    return (grid(64 + 128 * call, 128),)


LIMIT = Limit(
    number=1,
    title=Text("pypto.DYNAMIC", "pypto.DYNAMIC"),
    statement=Text(
        "pypto.DYNAMIC is not available; published as lifted, with pypto.frontend.dynamic().",
        "pypto.DYNAMIC（公布状态：已解除，使用 pypto.frontend.dynamic()）。",
    ),
    workaround=Text(
        "A factory with a dictionary: one kernel compiled per shape.",
        "工厂函数 + 字典缓存，每种 shape 编译一个 kernel。",
    ),
    cause=Text(
        "Both spellings make a symbolic size. One kernel then serves every size, if it addresses its tensors through "
        "view and loop. In sim each call still compiles anew.",
        "两种写法都产生符号尺寸。kernel 用 view 与 loop 寻址时，一个 kernel 适用于所有尺寸；"
        "sim 中每次调用仍会重新编译。",
    ),
    probes=(
        Probe(
            name="frontend-dynamic",
            form='n = pypto.frontend.dynamic("n")',
            build=named_axis,
            inputs=_sizes,
            answer=lambda x: x + 1,
            calls=2,
        ),
        Probe(
            name="DYNAMIC",
            form="n = pypto.DYNAMIC",
            build=dynamic_axis,
            inputs=_sizes,
            answer=lambda x: x + 1,
            calls=2,
        ),
        Probe(
            name="one-kernel-per-shape",
            form="pypto.Tensor([64, 128], dtype)",
            build=static_axis,
            inputs=lambda _call: (grid(64, 128),),
            answer=lambda x: x + 1,
            role=WORKAROUND,
        ),
    ),
    stress=("published/*", "field/*"),
)
