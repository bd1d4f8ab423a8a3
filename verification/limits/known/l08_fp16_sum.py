"""Limit 8: the sum of FP16 is FP16."""

from verification.limits.limit import WORKAROUND, Limit, Probe, Text

_COLUMNS = 2048


def sum_of_fp16(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([64, _COLUMNS], pypto.DT_FP16), y: pypto.Tensor([64, 1], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(16, _COLUMNS)
        y[:] = pypto.cast(pypto.sum(x, -1, True), pypto.DT_FP32)

    return kernel


def cast_first(pypto):
    @pypto.frontend.jit()
    def kernel(x: pypto.Tensor([64, _COLUMNS], pypto.DT_FP16), y: pypto.Tensor([64, 1], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(4, _COLUMNS)
        y[:] = pypto.sum(pypto.cast(x, pypto.DT_FP32), -1, True)

    return kernel


def _ones_and_a_bit(_call):
    """Rows whose sum is odd and above 2048: no FP16 number."""
    import torch

    x = torch.ones(64, _COLUMNS, dtype=torch.float16)
    x[:, 0] = 2.0
    return (x,)


def _answer(x):
    return x.float().sum(-1, keepdim=True)


LIMIT = Limit(
    number=8,
    title=Text("pypto.sum(FP16)", "pypto.sum(FP16)"),
    statement=Text("pypto.sum(FP16) returns FP16.", "pypto.sum(FP16) 返回 FP16。"),
    workaround=Text("Cast to FP32 first, then sum.", "cast 到 FP32 后再 sum。"),
    cause=Text(
        "The result has the dtype of the operand, so a softmax denominator above 2048 loses whole units. The published "
        "tolerance lets that pass: a test must look at the dtype, or at a sum that FP16 cannot hold.",
        "结果与操作数同 dtype，softmax 分母超过 2048 时会丢失整数位。公布的容差会放过它：测试应检查 dtype，"
        "或使用 FP16 无法表示的和。",
    ),
    probes=(
        Probe(
            name="sum-of-fp16",
            form="pypto.sum(x_fp16, -1, True)",
            build=sum_of_fp16,
            inputs=_ones_and_a_bit,
            answer=_answer,
            lint=("fp16-sum",),
        ),
        Probe(
            name="cast-first",
            form="pypto.sum(pypto.cast(x, pypto.DT_FP32), -1, True)",
            build=cast_first,
            inputs=_ones_and_a_bit,
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=("perf/S2048", "published/S2048*"),
)
