"""Limit 12: two-axis offsets into the log-sum-exp."""

from verification.limits.inputs import grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def column_view(pypto):
    @pypto.frontend.jit()
    def kernel(
        lse: pypto.Tensor([2, 128], pypto.DT_FP32),
        x: pypto.Tensor([256, 128], pypto.DT_FP32),
        y: pypto.Tensor([256, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="HEADS", idx_name="i"):
            for j in pypto.loop(2, name="BLOCKS", idx_name="j"):
                part = pypto.view(x, [64, 128], [i * 128 + j * 64, 0])
                column = pypto.view(lse, [64, 1], [i, j * 64])
                pypto.assemble(pypto.sub(part, column), [i * 128 + j * 64, 0], y)

    return kernel


def row_view(pypto):
    @pypto.frontend.jit()
    def kernel(
        lse: pypto.Tensor([2, 128], pypto.DT_FP32),
        x: pypto.Tensor([256, 128], pypto.DT_FP32),
        y: pypto.Tensor([256, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="HEADS", idx_name="i"):
            for j in pypto.loop(2, name="BLOCKS", idx_name="j"):
                part = pypto.view(x, [64, 128], [i * 128 + j * 64, 0])
                column = pypto.reshape(pypto.view(lse, [1, 64], [i, j * 64]), [64, 1])
                pypto.assemble(pypto.sub(part, column), [i * 128 + j * 64, 0], y)

    return kernel


def flattened(pypto):
    @pypto.frontend.jit()
    def kernel(
        lse: pypto.Tensor([256, 1], pypto.DT_FP32),
        x: pypto.Tensor([256, 128], pypto.DT_FP32),
        y: pypto.Tensor([256, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(2, name="HEADS", idx_name="i"):
            for j in pypto.loop(2, name="BLOCKS", idx_name="j"):
                part = pypto.view(x, [64, 128], [i * 128 + j * 64, 0])
                column = pypto.view(lse, [64, 1], [i * 128 + j * 64, 0])
                pypto.assemble(pypto.sub(part, column), [i * 128 + j * 64, 0], y)

    return kernel


def _two_heads(_call):
    return (grid(2, 128, seed=2), grid(256, 128))


def _answer(lse, x):
    return x - lse.reshape(256, 1)


LIMIT = Limit(
    number=12,
    title=Text("pypto.view of a two-axis LSE", "pypto.view 2D 偏移"),
    statement=Text("A pypto.view with 2-D offsets is wrong for the LSE.", "pypto.view 2D 偏移对 LSE 不正确。"),
    workaround=Text(
        "Flatten the LSE to [B*Hq*Sq, 1] for the backward pass and use one offset.",
        "反向时 flatten LSE 到 [B*Hq*Sq, 1]，用 1D 偏移。",
    ),
    cause=Text(
        "A view [64, 1] at [i, j*64] of a tensor [BH, S] asks for 64 rows of a matrix that has BH of them; PyPTO "
        "clips it "
        "without a word, and the next operation finds sizes that do not match. A view [1, 64] with a reshape is "
        "right in "
        "sim, and so is the flattened tensor. Whether a device has another fault here, sim cannot tell.",
        "对 [BH, S] 张量取 [64, 1] 视图、偏移 [i, j*64]，是在只有 BH 行的矩阵上取 64 行；PyPTO 静默裁剪，"
        "随后的运算发现尺寸不匹配。[1, 64] 视图加 reshape 在 sim 中正确，展平的张量也正确。设备上是否另有问题，sim 无"
        "法判断。",
    ),
    probes=(
        Probe(
            name="column-view",
            form="pypto.view(lse[BH, S], [64, 1], [i, j * 64])",
            build=column_view,
            inputs=_two_heads,
            answer=_answer,
            signature="must match|SUBOpError",
            lint=("column-view",),
        ),
        Probe(
            name="row-view",
            form="pypto.reshape(pypto.view(lse[BH, S], [1, 64], [i, j * 64]), [64, 1])",
            build=row_view,
            inputs=_two_heads,
            answer=_answer,
            blind=Text("the published fault was seen on a device only", "公布的问题只在设备上出现"),
        ),
        Probe(
            name="flattened",
            form="pypto.view(lse[BH * S, 1], [64, 1], [i * S + j * 64, 0])",
            build=flattened,
            inputs=lambda _call: (grid(2, 128, seed=2).view(256, 1), grid(256, 128)),
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=(
        "published/*GQA*",
        "*tails*",
        "*Hq8*",
    ),
)
