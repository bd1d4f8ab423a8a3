"""Limit 22: a view that reaches beyond its tensor."""

from verification.limits.inputs import grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def beyond(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([128, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [i * 64, 0]), 1.0), [i * 64, 0], y)

    return kernel


def valid_shape(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([100, 128], pypto.DT_FP32), y: pypto.Tensor([100, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="ROWS", idx_name="i"):
            rows = pypto.min(100 - i * 64, 64)
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[rows, 128])
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    return kernel


def _padded(x):
    y = x.new_ones(128, 128)
    y[:100] += x
    return y


LIMIT = Limit(
    number=22,
    title=Text("Views beyond the end", "越界的 view"),
    statement=Text(
        "A view beyond the end of its tensor is clipped without an error.", "越界的 view 被静默裁剪，没有报错。"
    ),
    workaround=Text(
        "State the valid_shape, so that what is written is what is meant.",
        "显式给出 valid_shape，使写出的内容与意图一致。",
    ),
    cause=Text(
        "The valid shape is computed as the smaller of the tile and what is left. An offset that is wrong by a block "
        "loses rows instead of failing.",
        "有效形状取 tile 与剩余部分中的较小者。偏移量错一个块时会丢失若干行，而不是报错。",
    ),
    probes=(
        Probe(
            name="beyond",
            form="pypto.view(x[100, 128], [64, 128], [64, 0])",
            build=beyond,
            inputs=lambda _call: (grid(100, 128),),
            answer=_padded,
        ),
        Probe(
            name="valid-shape",
            form="pypto.view(x, …, valid_shape=[pypto.min(100 - i * 64, 64), 128])",
            build=valid_shape,
            inputs=lambda _call: (grid(100, 128),),
            answer=lambda x: x + 1,
            role=WORKAROUND,
        ),
    ),
    stress=("*tails*",),
)
