"""Limit 5: a scalar branch of pypto.where."""

from verification.limits.inputs import checks, grid
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def where_scalar(pypto):
    @pypto.frontend.jit()
    def kernel(
        mask: pypto.Tensor([64, 128], pypto.DT_BOOL),
        x: pypto.Tensor([64, 128], pypto.DT_FP32),
        y: pypto.Tensor([64, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.where(mask, x, -1024.0)

    return kernel


def arithmetic(pypto):
    @pypto.frontend.jit()
    def kernel(
        mask: pypto.Tensor([64, 128], pypto.DT_FP32),
        x: pypto.Tensor([64, 128], pypto.DT_FP32),
        y: pypto.Tensor([64, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.add(pypto.mul(x, mask), pypto.mul(pypto.add(pypto.mul(mask, -1.0), 1.0), -1024.0))

    return kernel


def _answer(mask, x):
    return x.masked_fill(~mask.bool(), -1024.0)


LIMIT = Limit(
    number=5,
    title=Text("pypto.where(mask, tensor, scalar)", "pypto.where(mask, tensor, scalar)"),
    statement=Text(
        "pypto.where(mask, tensor, scalar) fails in the device compiler (CCE).",
        "pypto.where(mask, tensor, scalar) CCE 失败。",
    ),
    workaround=Text("Arithmetic: S*mask + (1-mask)*neg.", "使用 S*mask + (1-mask)*neg 算术替代。"),
    cause=Text(
        "The graph, its passes and its numbers are right; the fault is in what the device compiler makes of it, which "
        "sim does not run. The arithmetic has faults of its own: NaN and Inf pass through 0·NaN, and a row without any "
        "true becomes a constant, so its exp is 1 and not 0.",
        "图、各 pass 与数值都正确；问题出在设备编译器，而 sim 不运行它。算术替代自身也有缺陷：0·NaN 会传播 NaN 与 Inf，"
        "全假的行变成常数，其 exp 为 1 而不是 0。",
    ),
    probes=(
        Probe(
            name="scalar-branch",
            form="pypto.where(mask, x, -1024.0)",
            build=where_scalar,
            inputs=lambda _call: (checks(64, 128), grid(64, 128)),
            answer=_answer,
            blind=Text("sim does not run the device compiler", "sim 不运行设备编译器"),
            lint=("where-scalar",),
        ),
        Probe(
            name="arithmetic",
            form="x * mask + (1 - mask) * -1024.0",
            build=arithmetic,
            inputs=lambda _call: (checks(64, 128).float(), grid(64, 128)),
            answer=_answer,
            role=WORKAROUND,
        ),
    ),
    stress=("faults/NaN beyond the lengths", "faults/Inf beyond the lengths", "faults/empty query block"),
)
