"""The contract of the backward call, in two profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from bsa.contract.lengths import Lengths
from bsa.contract.lse import check_lse
from bsa.contract.options import check_mask, check_selection
from bsa.contract.problem import Problem
from bsa.contract.profile import ACLNN, PROFILES, PYPTO, Profile
from bsa.contract.refusal import Refuse
from bsa.contract.sizes import resolve
from bsa.contract.tensors import (
    check_contiguous,
    check_devices,
    check_dtypes,
    check_elements,
    check_layout,
    check_like,
    check_ranks,
    check_tensor,
)
from bsa.errors import NULL, ContractError

REQUIRED = ("query", "key", "value", "dout", "attention_out", "softmax_lse")


@dataclass(frozen=True, kw_only=True)
class BackwardCall:
    """The arguments of a backward call, unchecked; as of ``bsa.block_sparse_attention_grad``.

    Attributes:
        dout: gradient of the output.
        query: query.
        key: key.
        value: value.
        attention_out: output of the forward pass.
        softmax_lse: natural log-sum-exp of the forward pass.
        block_sparse_mask: block mask or None.
        block_shape: rows of a query block and of a key block.
        actual_seq_lengths: rows of each query sequence, or None.
        actual_seq_lengths_kv: rows of each key sequence, or None.
        layout: layout of all five 16-bit tensors.
        scale: factor on query·key, or None.
        num_key_value_heads: heads of key, or None.
        run_mode: ``sim`` or ``npu``.
        names: what the caller calls these arguments, for errors.
    """

    dout: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attention_out: torch.Tensor
    softmax_lse: torch.Tensor
    block_sparse_mask: torch.Tensor | None
    block_shape: Sequence[int]
    actual_seq_lengths: Lengths | None
    actual_seq_lengths_kv: Lengths | None
    layout: str
    scale: float | None
    num_key_value_heads: int | None
    run_mode: str
    names: Mapping[str, str] = field(default_factory=dict)


def check_backward(call: BackwardCall, *, profile: str) -> Problem:
    """Checks a backward call against a profile and resolves its defaults. Allocates nothing.

    A call of profile ``aclnn`` is run by our kernels: it has to satisfy both profiles.

    Args:
        call: the arguments.
        profile: ``pypto`` (what our kernels can do) or ``aclnn`` (what the built-in operator's text says).

    Returns:
        The problem, with every default resolved.

    Raises:
        ContractError: the first rule that the call breaks; it says what the other profile makes of the call.
    """
    if not isinstance(profile, str) or profile not in PROFILES:
        legal = " or ".join(map(repr, PROFILES))
        raise Refuse(PYPTO.name, call.names)("profile", argument="profile", value=profile, legal=legal)
    chosen = PROFILES[profile]
    other = ACLNN if chosen is PYPTO else PYPTO
    try:
        problem = _check(call, chosen)
    except ContractError as error:
        raise error.compared(other.name, _refusing_rule(call, other)) from None
    if chosen is PYPTO:
        return problem
    try:
        return _check(_without_extra_entries(call), PYPTO)
    except ContractError as error:
        raise error.compared(ACLNN.name, "") from None


def _without_extra_entries(call: BackwardCall) -> BackwardCall:
    """The call with the first two entries of its block shape: the others mean nothing."""
    return replace(call, block_shape=tuple(call.block_shape[:2]))


def _refusing_rule(call: BackwardCall, profile: Profile) -> str:
    """The rule by which a profile refuses the call; empty if it accepts."""
    try:
        _check(call, profile)
    except ContractError as error:
        return error.rule
    return ""


def _check(call: BackwardCall, profile: Profile) -> Problem:
    """One profile's verdict."""
    refuse = Refuse(profile.name, call.names)
    tensors = {argument: check_tensor(refuse, argument, getattr(call, argument)) for argument in REQUIRED}
    lse = tensors.pop("softmax_lse")
    layout = check_layout(refuse, profile, "layout", call.layout)
    mask = {}
    if call.block_sparse_mask is not None:
        mask["block_sparse_mask"] = check_tensor(refuse, "block_sparse_mask", call.block_sparse_mask)
    elif profile.mask_required:
        legal = "a BOOL tensor; an all-true one for dense attention"
        raise refuse("mask-required", argument="block_sparse_mask", value=None, legal=legal, code=NULL)
    check_ranks(refuse, tensors, layout)
    check_dtypes(refuse, profile, tensors)
    everything = {**tensors, "softmax_lse": lse, **mask}
    check_devices(refuse, everything, call.run_mode)
    check_elements(refuse, everything)
    if not profile.strided_inputs:
        check_contiguous(refuse, everything)
    problem = resolve(
        refuse,
        profile,
        tensors,
        block_shape=call.block_shape,
        lengths={
            "actual_seq_lengths": call.actual_seq_lengths,
            "actual_seq_lengths_kv": call.actual_seq_lengths_kv,
        },
        layout=layout,
        scale=call.scale,
        num_key_value_heads=call.num_key_value_heads,
    )
    check_like(refuse, {name: tensors[name] for name in ("dout", "attention_out")}, tensors["query"])
    check_lse(refuse, lse, problem, dtypes=(torch.float32,), flat=profile.flat_lse)
    if mask:
        check_mask(refuse, "block_sparse_mask", mask["block_sparse_mask"], problem)
    check_selection(refuse, profile, "block_sparse_mask", call.block_sparse_mask, problem)
    return problem
