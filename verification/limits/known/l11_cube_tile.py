"""Limit 11: cube tiles."""

from verification.limits.inputs import grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def _with_tiles(m, k, n):
    """A builder of [256, 128] x [128, 256] with the given (L0, L1) tiles."""

    def build(pypto):
        @pypto.frontend.jit()
        def kernel(
            a: pypto.Tensor([256, 128], pypto.DT_FP16),
            b: pypto.Tensor([128, 256], pypto.DT_FP16),
            y: pypto.Tensor([256, 256], pypto.DT_FP32),
        ):
            pypto.set_cube_tile_shapes(list(m), list(k), list(n))
            y[:] = pypto.matmul(a, b, pypto.DT_FP32)

        return kernel

    return build


def descending_tile(pypto):
    @pypto.frontend.jit()
    def kernel(
        a: pypto.Tensor([256, 128], pypto.DT_FP16),
        b: pypto.Tensor([128, 256], pypto.DT_FP16),
        y: pypto.Tensor([256, 256], pypto.DT_FP32),
    ):
        pypto.set_cube_tile_shapes([256, 128], [128, 128], [128, 128])
        y[:] = pypto.matmul(a, b, pypto.DT_FP32)

    return kernel


def square_tile(pypto):
    @pypto.frontend.jit()
    def kernel(
        a: pypto.Tensor([256, 128], pypto.DT_FP16),
        b: pypto.Tensor([128, 256], pypto.DT_FP16),
        y: pypto.Tensor([256, 256], pypto.DT_FP32),
    ):
        pypto.set_cube_tile_shapes([128, 128], [128, 128], [128, 128])
        y[:] = pypto.matmul(a, b, pypto.DT_FP32)

    return kernel


def _operands(_call):
    return (grid(256, 128, "float16"), grid(128, 256, "float16", seed=1))


def _product(a, b):
    return a.double() @ b.double()


def _shape(name, m, k, n, *, forbidden=False):
    return Probe(
        name=name,
        form=f"pypto.set_cube_tile_shapes({list(m)}, {list(k)}, {list(n)})",
        build=_with_tiles(m, k, n),
        inputs=_operands,
        answer=_product,
        role="forbidden" if forbidden else NEIGHBOUR,
        signature="Invalid L1/L0 relation|Run pass failed|exceed|L0" if forbidden else "",
    )


_S = (128, 128)

LIMIT = Limit(
    number=11,
    title=Text("Cube tile 256, 128", "Cube tile 256, 128"),
    statement=Text(
        "Cube tile [256, 128] is not supported; [128, 128] is a must.",
        "Cube tile [256, 128] 不支持，必须使用 [128, 128]。",
    ),
    workaround=Text("[128, 128] on every axis.", "各轴均使用 [128, 128]。"),
    cause=Text(
        "The two numbers are the tile in L0 and in L1, and L1 must be a multiple of L0: [256, 128] is refused for "
        "that, "
        "while [128, 256], [128, 512] and [64, 64] are fine, and often faster. The product of L0 m and L0 n must fit "
        "L0C.",
        "两个数字分别是 L0 与 L1 的 tile，L1 必须是 L0 的整数倍：[256, 128] 因此被拒绝，而 [128, 256]、[128, 512]、[6"
        "4, 64] "
        "可用，且常常更快。L0 的 m 与 n 之积还必须放得进 L0C。",
    ),
    probes=(
        Probe(
            name="256-128-on-m",
            form="pypto.set_cube_tile_shapes([256, 128], [128, 128], [128, 128])",
            build=descending_tile,
            inputs=_operands,
            answer=_product,
            signature="Invalid L1/L0 relation",
            lint=("cube-tile",),
        ),
        _shape("256-128-on-n", _S, _S, (256, 128), forbidden=True),
        _shape("256-256-on-m-and-n", (256, 256), _S, (256, 256), forbidden=True),
        _shape("128-256-everywhere", (128, 256), (128, 256), (128, 256)),
        _shape("64-64-everywhere", (64, 64), (64, 64), (64, 64)),
        _shape("256-256-on-m", (256, 256), _S, _S),
        _shape("256-256-on-n", _S, _S, (256, 256)),
        _shape("128-512-on-k", _S, (128, 512), _S),
        Probe(
            name="128-128-everywhere",
            form="pypto.set_cube_tile_shapes([128, 128], [128, 128], [128, 128])",
            build=square_tile,
            inputs=_operands,
            answer=_product,
            role=WORKAROUND,
        ),
    ),
    stress=("published/*",),
)
