"""Limit 25: loop-carried accumulators have no valid_shape."""

from verification.limits.inputs import grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def direct(pypto):
    @pypto.frontend.jit()
    def kernel(
        x: pypto.Tensor([128, 128], pypto.DT_FP32),
        n: pypto.Tensor([1, 1], pypto.DT_INT32),
        y: pypto.Tensor([40, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        for _u in pypto.loop(1, name="ONCE", idx_name="_u"):
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            for i in pypto.loop(2, name="BLOCKS", idx_name="i"):
                share = pypto.mul(pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[n[0, 0], 128]), 2.0)
                if pypto.is_loop_begin(i):
                    total[:] = share
                else:
                    total[:] = pypto.maximum(total, share)
                if pypto.is_loop_end(i):
                    pypto.assemble(pypto.view(total, [64, 128], [0, 0], valid_shape=[n[0, 0], 128]), [0, 0], y)

    return kernel


def through_a_view(pypto):
    @pypto.frontend.jit()
    def kernel(
        x: pypto.Tensor([128, 128], pypto.DT_FP32),
        n: pypto.Tensor([1, 1], pypto.DT_INT32),
        y: pypto.Tensor([40, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        for _u in pypto.loop(1, name="ONCE", idx_name="_u"):
            total = pypto.tensor([64, 128], pypto.DT_FP32, "total")
            for i in pypto.loop(2, name="BLOCKS", idx_name="i"):
                share = pypto.mul(pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[n[0, 0], 128]), 2.0)
                if pypto.is_loop_begin(i):
                    total[:] = share
                else:
                    before = pypto.view(total, [64, 128], [0, 0], valid_shape=[n[0, 0], 128])
                    total[:] = pypto.maximum(before, share)
                if pypto.is_loop_end(i):
                    pypto.assemble(pypto.view(total, [64, 128], [0, 0], valid_shape=[n[0, 0], 128]), [0, 0], y)

    return kernel


def _rows(_call):
    import torch

    return (grid(128, 128), torch.tensor([[40]], dtype=torch.int32))


def _answer(x, n):
    rows = int(n)
    return 2 * x[:rows].maximum(x[64 : 64 + rows])


LIMIT = Limit(
    number=25,
    title=Text("valid_shape of accumulators", "累加器的 valid_shape"),
    statement=Text(
        "A tensor carried from one iteration to the next loses its valid_shape.", "跨迭代保存的张量会丢失 valid_shape。"
    ),
    workaround=Text(
        "Read it through a view that states the valid_shape again.", "通过重新声明 valid_shape 的 view 读取它。"
    ),
    cause=Text(
        "pypto.tensor has a whole shape only; what is assigned to it keeps its numbers and not its valid_shape, and "
        "the next operation finds sizes that do not match.",
        "pypto.tensor 只有完整形状；赋值保留数值而不保留 valid_shape，随后的运算发现尺寸不匹配。",
    ),
    probes=(
        Probe(
            name="direct",
            form="total[:] = pypto.maximum(total, share)",
            build=direct,
            inputs=_rows,
            answer=_answer,
            signature="OpError|must match",
        ),
        Probe(
            name="through-a-view",
            form="pypto.maximum(pypto.view(total, …, valid_shape=[rows, 128]), share)",
            build=through_a_view,
            inputs=_rows,
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=(
        "published/S300*",
        "*tails*",
    ),
)
