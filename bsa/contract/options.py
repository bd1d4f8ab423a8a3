"""Rules of block shape, scale and block mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np
import torch

from bsa.contract.integers import as_integer
from bsa.contract.problem import Problem
from bsa.contract.profile import Profile
from bsa.contract.refusal import Refuse
from bsa.contract.tensors import describe


def check_block_shape(refuse: Refuse, profile: Profile, argument: str, block_shape: object) -> tuple[int, int]:
    """Two integers within the profile's range.

    Raises:
        ContractError: rules ``block-shape-type`` and ``block-shape``.
    """
    entries = "at least two" if profile.block_entries_beyond_two else "exactly two"
    legal = f"{entries} ints: query rows, key rows"
    if isinstance(block_shape, (str, bytes)) or not isinstance(block_shape, (Sequence, np.ndarray)):
        raise refuse("block-shape-type", argument=argument, value=type(block_shape).__name__, legal=legal)
    sides = [as_integer(side) for side in block_shape]
    extra = len(sides) > 2 and not profile.block_entries_beyond_two
    if len(sides) < 2 or extra or None in sides:
        raise refuse("block-shape-type", argument=argument, value=tuple(block_shape), legal=legal)
    step, maximum = profile.block_step, profile.block_maximum
    shape = tuple(side for side in sides[:2] if side is not None)
    for axis, side in enumerate(shape):
        legal = f"a multiple of {step}, from {step}" + ("" if maximum is None else f" to {maximum[axis]}")
        if side < step or side % step or (maximum is not None and side > maximum[axis]):
            raise refuse("block-shape", argument=f"{argument}[{axis}]", value=side, legal=legal)
    return (shape[0], shape[1])


def check_scale(refuse: Refuse, argument: str, scale: object, head_dim: int) -> float:
    """A number that is finite in FP32; None = 1 / sqrt(head_dim).

    Raises:
        ContractError: rules ``scale-type`` and ``scale-finite``.
    """
    if scale is None:
        return 1.0 / math.sqrt(head_dim)
    if isinstance(scale, bool) or not isinstance(scale, Real):
        raise refuse("scale-type", argument=argument, value=type(scale).__name__, legal="a real number, or None")
    limit = torch.finfo(torch.float32).max
    if not abs(float(scale)) <= limit:
        raise refuse("scale-finite", argument=argument, value=float(scale), legal="a number that is finite in FP32")
    return float(scale)


def check_mask(refuse: Refuse, argument: str, mask: torch.Tensor, problem: Problem) -> None:
    """A BOOL tensor with one entry per block.

    Raises:
        ContractError: rules ``mask-dtype``, ``mask-shape`` and ``mask-binary``.
    """
    if mask.dtype != torch.bool:
        raise refuse(
            "mask-dtype",
            argument=argument,
            value=str(mask.dtype),
            legal="torch.bool",
            fix="say which values select a block, for example mask != 0",
        )
    if tuple(mask.shape) != problem.mask_shape:
        rows, columns = problem.block_shape
        raise refuse(
            "mask-shape",
            argument=argument,
            value=tuple(mask.shape),
            legal=f"{problem.mask_shape}: batch, query heads, ceil({problem.seq_q} / {rows}), "
            f"ceil({problem.seq_kv} / {columns})",
        )
    if mask.device.type != "meta" and int(mask.view(torch.uint8).max()) > 1:
        raise refuse(
            "mask-binary",
            argument=argument,
            value=f"{describe(mask)} with bytes above 1",
            legal="bytes 0 and 1 only",
            fix="a view of another dtype makes such bytes: use mask != 0 on the original",
        )


def check_selection(
    refuse: Refuse, profile: Profile, argument: str, mask: torch.Tensor | None, problem: Problem
) -> None:
    """No more selected blocks than the tables of a launch can list; blocks beyond the actual lengths count as well.

    Raises:
        ContractError: rule ``selected-blocks``.
    """
    most = profile.selected_maximum
    if most is None or (mask is not None and mask.device.type == "meta"):
        return
    selected = math.prod(problem.mask_shape) if mask is None else int(torch.count_nonzero(mask))
    if selected > most:
        raise refuse(
            "selected-blocks",
            argument=argument,
            value=f"{'None' if mask is None else describe(mask)} that selects {selected} blocks",
            legal=f"at most {most} selected blocks",
            fix="choose larger blocks, or split the call over batch or heads",
        )
