"""Limit 4: element-wise operations expand one axis of an operand at most."""

from verification.limits.inputs import checks, grid
from verification.limits.limit import NEIGHBOUR, WORKAROUND, Limit, Probe, Text


def where_two_axes(pypto):
    @pypto.frontend.jit()
    def kernel(
        mask: pypto.Tensor([1, 1], pypto.DT_BOOL),
        x: pypto.Tensor([64, 128], pypto.DT_FP32),
        z: pypto.Tensor([64, 128], pypto.DT_FP32),
        y: pypto.Tensor([64, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.where(mask, x, z)

    return kernel


def add_two_axes(pypto):
    @pypto.frontend.jit()
    def kernel(
        x: pypto.Tensor([64, 128], pypto.DT_FP32),
        z: pypto.Tensor([1, 1], pypto.DT_FP32),
        y: pypto.Tensor([64, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.add(x, z)

    return kernel


def one_axis_each(pypto):
    @pypto.frontend.jit()
    def kernel(
        mask: pypto.Tensor([64, 1], pypto.DT_BOOL),
        x: pypto.Tensor([1, 128], pypto.DT_FP32),
        z: pypto.Tensor([64, 128], pypto.DT_FP32),
        y: pypto.Tensor([64, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.where(mask, x, z)

    return kernel


def whole_mask(pypto):
    @pypto.frontend.jit()
    def kernel(
        mask: pypto.Tensor([64, 128], pypto.DT_BOOL),
        x: pypto.Tensor([64, 128], pypto.DT_FP32),
        z: pypto.Tensor([64, 128], pypto.DT_FP32),
        y: pypto.Tensor([64, 128], pypto.DT_FP32),
    ):
        pypto.set_vec_tile_shapes(64, 128)
        y[:] = pypto.where(mask, x, z)

    return kernel


def _where(mask, x, z):
    import torch

    return torch.where(mask, x, z)


LIMIT = Limit(
    number=4,
    title=Text("pypto.where broadcasts one axis", "pypto.where 仅支持单轴广播"),
    statement=Text("pypto.where supports broadcasting of a single axis only.", "pypto.where 仅支持单轴广播。"),
    workaround=Text("Expand the mask to [BLOCK, BLOCK] beforehand.", "预展开 mask 到 [BLOCK, BLOCK]。"),
    cause=Text(
        "The check counts the expanded axes of each operand by itself, for every element-wise operation: a condition "
        "[R, 1] beside a tensor [1, C] is accepted, one operand [1, 1] is not.",
        "该检查对每个操作数分别统计被扩展的轴，且适用于所有逐元素运算：条件 [R, 1] 与张量 [1, C] 可以并用，"
        "单个 [1, 1] 操作数则被拒绝。",
    ),
    probes=(
        Probe(
            name="where-two-axes",
            form="pypto.where(mask[1, 1], x[64, 128], z[64, 128])",
            build=where_two_axes,
            inputs=lambda _call: (checks(1, 1), grid(64, 128), grid(64, 128, seed=1)),
            answer=_where,
            signature="Only allow to expand one axis",
            lint=("two-expanded-axes",),
        ),
        Probe(
            name="add-two-axes",
            form="pypto.add(x[64, 128], z[1, 1])",
            build=add_two_axes,
            inputs=lambda _call: (grid(64, 128), grid(1, 1)),
            answer=lambda x, z: x + z,
            signature="Only allow to expand one axis",
            lint=("two-expanded-axes",),
        ),
        Probe(
            name="one-axis-each",
            form="pypto.where(mask[64, 1], x[1, 128], z[64, 128])",
            build=one_axis_each,
            inputs=lambda _call: (checks(64, 1), grid(1, 128), grid(64, 128, seed=1)),
            answer=_where,
            role=NEIGHBOUR,
        ),
        Probe(
            name="whole-mask",
            form="pypto.where(mask[64, 128], x, z)",
            build=whole_mask,
            inputs=lambda _call: (checks(64, 128), grid(64, 128), grid(64, 128, seed=1)),
            answer=_where,
            role=WORKAROUND,
        ),
    ),
    stress=(
        "smoke/one token",
        "*tails*",
    ),
)
