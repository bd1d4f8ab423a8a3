"""Limit 28: operations that PyPTO composes with a whole tile of ones, on a tile with a valid_shape."""

from typing import Any

from verification.limits.inputs import grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def sigmoid(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.sigmoid(part), [i * 64, 0], y)

    return kernel


def rms_norm(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.rms_norm(part), [i * 64, 0], y)

    return kernel


def softmax(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.softmax(part, -1), [i * 64, 0], y)

    return kernel


def whole_tile(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(50, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            part = pypto.view(x, [50, 128], [i * 50, 0], valid_shape=[50, 128])
            pypto.assemble(pypto.sigmoid(part), [i * 50, 0], y)

    return kernel


def reciprocal(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            below = pypto.add(pypto.exp(pypto.mul(part, -1.0)), 1.0)
            pypto.assemble(pypto.reciprocal(below), [i * 64, 0], y)

    return kernel


def divided_by_the_root(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            square = pypto.sum(pypto.mul(pypto.mul(part, part), 1 / 128), -1, True)
            pypto.assemble(pypto.div(part, pypto.sqrt(pypto.add(square, 1e-6))), [i * 64, 0], y)

    return kernel


def _rows(_call: int) -> tuple[Any, ...]:
    """FP32 ``[100, 128]``: a tile of 64 rows, and one of 36."""
    return (grid(100, 128),)


def _sigmoid(x: Any) -> Any:
    return x.double().sigmoid()


def _rms_norm(x: Any) -> Any:
    return x.double() / (x.double().square().mean(-1, keepdim=True) + 1e-6).sqrt()


LIMIT = Limit(
    number=28,
    title=Text("sigmoid and rms_norm of a valid_shape", "valid_shape 上的 sigmoid 与 rms_norm"),
    statement=Text(
        "pypto.sigmoid and pypto.rms_norm of a tile with a valid_shape end in DIVOpError or MULOpError.",
        "对带 valid_shape 的 tile 使用 pypto.sigmoid 或 pypto.rms_norm，会报 DIVOpError 或 MULOpError。",
    ),
    workaround=Text(
        "Write the formula: pypto.reciprocal of exp(-x) + 1, pypto.div of x by the root.",
        "直接写出公式：对 exp(-x) + 1 取 pypto.reciprocal，用 pypto.div 除以均方根。",
    ),
    cause=Text(
        "PyPTO composes them in Python with pypto.full of the whole shape, which has no valid_shape, and an operation "
        "on both finds sizes that do not match. A valid_shape that is the whole tile is right; softmax, sin and cos, "
        "composed without a tile of ones, are right too.",
        "PyPTO 在 Python 中用完整形状的 pypto.full 组合它们，该张量没有 valid_shape，两者相运算时尺寸不匹配。"
        "valid_shape 等于整个 tile 时正确；不用全一 tile 组合的 softmax、sin、cos 也正确。",
    ),
    probes=(
        Probe(
            name="sigmoid",
            form="pypto.sigmoid(pypto.view(x, [64, 128], …, valid_shape=[rows, 128]))",
            build=sigmoid,
            inputs=_rows,
            answer=_sigmoid,
            signature="OpError|must match",
            lint=("composed-of-a-part",),
        ),
        Probe(
            name="rms-norm",
            form="pypto.rms_norm(pypto.view(x, [64, 128], …, valid_shape=[rows, 128]))",
            build=rms_norm,
            inputs=_rows,
            answer=_rms_norm,
            signature="OpError|must match",
            lint=("composed-of-a-part",),
        ),
        Probe(
            name="softmax",
            form="pypto.softmax(pypto.view(x, [64, 128], …, valid_shape=[rows, 128]), -1)",
            build=softmax,
            inputs=_rows,
            answer=lambda x: x.double().softmax(-1),
            role=NEIGHBOUR,
        ),
        Probe(
            name="whole-tile",
            form="pypto.sigmoid(pypto.view(x, [50, 128], …, valid_shape=[50, 128]))",
            build=whole_tile,
            inputs=_rows,
            answer=_sigmoid,
            role=NEIGHBOUR,
        ),
        Probe(
            name="reciprocal",
            form="pypto.reciprocal(pypto.add(pypto.exp(pypto.mul(part, -1.0)), 1.0))",
            build=reciprocal,
            inputs=_rows,
            answer=_sigmoid,
            role=WORKAROUND,
        ),
        Probe(
            name="divided-by-the-root",
            form="pypto.div(part, pypto.sqrt(…))",
            build=divided_by_the_root,
            inputs=_rows,
            answer=_rms_norm,
            role=WORKAROUND,
        ),
    ),
)
