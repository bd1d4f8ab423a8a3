"""Limit 6: cast from BOOL inside a kernel."""

from verification.limits.inputs import checks
from verification.limits.limit import WORKAROUND, Limit, Probe, Text


def cast_in_kernel(pypto):
    @pypto.frontend.jit()
    def kernel(mask: pypto.Tensor([64, 128], pypto.DT_BOOL), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.cast(mask, pypto.DT_FP32)

    return kernel


def cast_by_host(pypto):
    @pypto.frontend.jit()
    def kernel(mask: pypto.Tensor([64, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.mul(mask, 1.0)

    return kernel


LIMIT = Limit(
    number=6,
    title=Text("pypto.cast(BOOL, FP32)", "pypto.cast(BOOL, FP32)"),
    statement=Text(
        "pypto.cast(BOOL, FP32) corrupts data inside a kernel.",
        "pypto.cast(BOOL, FP32) kernel 内数据损坏。",
    ),
    workaround=Text("Convert in the wrapper: mask.float().", "wrapper 中预转换 mask.float()。"),
    cause=Text(
        "Right numbers after every pass in sim. Corruption on a device points at how BOOL tiles lie in the vector "
        "buffer, "
        "which the interpreter does not model.",
        "sim 中各 pass 之后数值都正确。设备上的损坏可能来自 BOOL tile 在向量缓冲区中的布局，解释器不模拟它。",
    ),
    probes=(
        Probe(
            name="cast-in-kernel",
            form="pypto.cast(mask, pypto.DT_FP32)",
            build=cast_in_kernel,
            inputs=lambda _call: (checks(64, 128),),
            answer=lambda mask: mask.float(),
            blind=Text("the interpreter does not model the vector buffer", "解释器不模拟向量缓冲区"),
            lint=("cast-from-bool",),
        ),
        Probe(
            name="cast-by-host",
            form="mask.float() in the wrapper",
            build=cast_by_host,
            inputs=lambda _call: (checks(64, 128).float(),),
            answer=lambda mask: mask,
            role=WORKAROUND,
        ),
    ),
    stress=("published/*",),
)
