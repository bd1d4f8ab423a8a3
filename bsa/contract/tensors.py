"""Rules of tensors: presence, kind, rank, dtype, device, size."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bsa.contract.profile import MAXIMUM_ELEMENTS, Profile
from bsa.contract.refusal import Refuse
from bsa.errors import NULL

RANKS = {"BNSD": 4, "TND": 3}
AXES = {"BNSD": "[batch, heads, rows, head_dim]", "TND": "[tokens, heads, head_dim]"}
DEVICES = {"sim": "cpu", "npu": "npu"}


def describe(tensor: torch.Tensor) -> str:
    """A tensor for an error text: dtype and shape."""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def check_tensor(refuse: Refuse, argument: str, value: object) -> torch.Tensor:
    """A required, strided tensor.

    Raises:
        ContractError: rules ``tensor-required`` and ``tensor-type``.
    """
    if value is None:
        raise refuse("tensor-required", argument=argument, value=None, legal="a torch.Tensor", code=NULL)
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        shown = describe(value) if isinstance(value, torch.Tensor) else type(value).__name__
        raise refuse("tensor-type", argument=argument, value=shown, legal="a strided torch.Tensor")
    return value


def check_layout(refuse: Refuse, profile: Profile, argument: str, layout: object) -> str:
    """A layout that the profile has.

    Raises:
        ContractError: rule ``layout``.
    """
    if not isinstance(layout, str) or layout not in profile.layouts:
        raise refuse("layout", argument=argument, value=layout, legal=" or ".join(map(repr, profile.layouts)))
    return layout


def check_ranks(refuse: Refuse, tensors: Mapping[str, torch.Tensor], layout: str) -> None:
    """The layout's number of axes, none of them empty.

    Raises:
        ContractError: rules ``rank`` and ``empty-tensor``.
    """
    for argument, tensor in tensors.items():
        shape = tuple(tensor.shape)
        if len(shape) != RANKS[layout]:
            legal = f"{RANKS[layout]} axes {AXES[layout]} in layout {layout}"
            raise refuse("rank", argument=argument, value=shape, legal=legal)
        if 0 in shape:
            raise refuse("empty-tensor", argument=argument, value=shape, legal="every axis at least 1")


def check_dtypes(refuse: Refuse, profile: Profile, tensors: Mapping[str, torch.Tensor]) -> None:
    """A dtype that the profile has for query, and the same for all others.

    Raises:
        ContractError: rules ``dtype`` and ``dtype-equal``.
    """
    expected = tensors["query"].dtype
    if expected not in profile.dtypes:
        legal = " or ".join(str(dtype) for dtype in profile.dtypes)
        raise refuse("dtype", argument="query", value=str(expected), legal=legal)
    for argument, tensor in tensors.items():
        if tensor.dtype != expected:
            legal = f"{expected}, the dtype of query"
            raise refuse("dtype-equal", argument=argument, value=str(tensor.dtype), legal=legal)


def check_devices(refuse: Refuse, tensors: Mapping[str, torch.Tensor], run_mode: object) -> None:
    """A known run mode, and every tensor where it runs.

    Raises:
        ContractError: rules ``run-mode`` and ``run-mode-device``.
    """
    if not isinstance(run_mode, str) or run_mode not in DEVICES:
        raise refuse("run-mode", argument="run_mode", value=run_mode, legal=" or ".join(map(repr, DEVICES)))
    wanted = DEVICES[run_mode]
    device = tensors["query"].device
    for argument, tensor in tensors.items():
        if tensor.device.type != wanted or tensor.device != device:
            raise refuse(
                "run-mode-device",
                argument=argument,
                value=str(tensor.device),
                legal=f"one {wanted} device for all tensors with run_mode={run_mode!r}",
                fix=f"move it with .to({wanted!r}) or choose the other run_mode",
            )


def check_contiguous(refuse: Refuse, tensors: Mapping[str, torch.Tensor]) -> None:
    """Inputs in one piece, for a profile that cannot read strides.

    Raises:
        ContractError: rule ``contiguous``.
    """
    for argument, tensor in tensors.items():
        if not tensor.is_contiguous():
            legal = "a contiguous tensor"
            raise refuse("contiguous", argument=argument, value=tensor.stride(), legal=legal, fix="call .contiguous()")


def check_elements(refuse: Refuse, tensors: Mapping[str, torch.Tensor]) -> None:
    """Offsets inside every tensor fit in 32 bits.

    Raises:
        ContractError: rule ``element-count``.
    """
    for argument, tensor in tensors.items():
        if tensor.numel() > MAXIMUM_ELEMENTS:
            raise refuse(
                "element-count",
                argument=argument,
                value=tensor.numel(),
                legal=f"at most {MAXIMUM_ELEMENTS} elements (2^31 - 1)",
                fix="split the call over batch or heads",
            )


def check_like(refuse: Refuse, tensors: Mapping[str, torch.Tensor], query: torch.Tensor) -> None:
    """Every tensor has the shape of query.

    Raises:
        ContractError: rule ``query-shape-equal``.
    """
    for argument, tensor in tensors.items():
        if tensor.shape != query.shape:
            legal = f"{tuple(query.shape)}, the shape of query"
            raise refuse("query-shape-equal", argument=argument, value=tuple(tensor.shape), legal=legal)
