"""The arguments that only the built-in operator has: rules, names, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import torch

from bsa.contract.backward import BackwardCall, check_backward
from bsa.contract.integers import as_integer
from bsa.contract.problem import Problem
from bsa.contract.refusal import Refuse
from bsa.contract.tensors import check_devices, check_tensor, describe
from bsa.errors import ContractError
from bsa.results import Grad

NO_WINDOW = 2147483647
"""The only value of preTokens and nextTokens."""
DEFAULT_BLOCK_SHAPE = (128, 128)
"""blockShapeOptional when it is not given."""
OUTPUTS: Mapping[str, str] = MappingProxyType({"dq": "query", "dk": "key", "dv": "value"})
"""Outputs, and the input whose shape and dtype each has."""
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "attention_out": "attentionOut",
        "softmax_lse": "softmaxLse",
        "block_sparse_mask": "blockSparseMaskOptional",
        "block_shape": "blockShapeOptional",
        "actual_seq_lengths": "actualSeqLengthsOptional",
        "actual_seq_lengths_kv": "actualSeqLengthsKvOptional",
        "layout": "qInputLayout",
        "num_key_value_heads": "numKeyValueHeads",
        "scale": "scaleValue",
    }
)
"""What the operator calls our arguments, where the name differs."""


@dataclass(frozen=True, kw_only=True)
class OperatorArguments:
    """The operator's arguments that our own calls do not have, unchecked.

    Attributes:
        atten_mask: attenMaskOptional.
        kv_layout: kvInputLayout.
        mask_type: maskType.
        pre_tokens: preTokens.
        next_tokens: nextTokens.
        outputs: dq, dk, dv by name.
    """

    atten_mask: torch.Tensor | None
    kv_layout: str
    mask_type: int
    pre_tokens: int
    next_tokens: int
    outputs: Mapping[str, torch.Tensor | None]

    def given_outputs(self) -> Grad:
        """The outputs, once the contract has found all of them given.

        Raises:
            TypeError: an output is None.
        """
        given = {name: output for name, output in self.outputs.items() if output is not None}
        return Grad(**given)


def check_operator(call: BackwardCall, extra: OperatorArguments, *, profile: str) -> Problem:
    """Checks a call made with the operator's arguments: ``check_backward``, then what only the operator has.

    The rules of these arguments are the same in both profiles.

    Args:
        call: the arguments that our own calls have too.
        extra: the others.
        profile: ``aclnn`` or ``pypto``.

    Returns:
        The problem, with every default resolved.

    Raises:
        ContractError: the first rule that the call breaks; arguments are named as the operator names them.
    """
    call = replace(call, names=NAMES)
    problem = check_backward(call, profile=profile)
    refuse = Refuse(profile, NAMES)
    try:
        _check_fixed(refuse, call, extra)
        _check_outputs(refuse, call, extra.outputs)
    except ContractError as error:
        raise error.compared("pypto" if profile == "aclnn" else "aclnn", error.rule) from None
    return problem


def _check_fixed(refuse: Refuse, call: BackwardCall, extra: OperatorArguments) -> None:
    """Arguments that have one legal value: rules ``layouts-equal``, ``atten-mask``, ``mask-type``, ``token-window``."""
    if extra.kv_layout != call.layout:
        legal = f"{call.layout!r}, as qInputLayout"
        raise refuse("layouts-equal", argument="kvInputLayout", value=extra.kv_layout, legal=legal)
    mask = extra.atten_mask
    if mask is not None and not (isinstance(mask, torch.Tensor) and mask.numel() == 0 and mask.dtype == torch.bool):
        shown = describe(mask) if isinstance(mask, torch.Tensor) else type(mask).__name__
        legal = "None, or a BOOL tensor without elements"
        raise refuse("atten-mask", argument="attenMaskOptional", value=shown, legal=legal)
    fixed: tuple[tuple[str, str, object, int], ...] = (
        ("mask-type", "maskType", extra.mask_type, 0),
        ("token-window", "preTokens", extra.pre_tokens, NO_WINDOW),
        ("token-window", "nextTokens", extra.next_tokens, NO_WINDOW),
    )
    for rule, argument, value, legal_value in fixed:
        if as_integer(value) != legal_value:
            given = value if isinstance(value, (int, float, str)) else type(value).__name__
            raise refuse(rule, argument=argument, value=given, legal=f"{legal_value}, for no mask within blocks")


def _check_outputs(refuse: Refuse, call: BackwardCall, given: Mapping[str, torch.Tensor | None]) -> None:
    """Outputs like their inputs, each element at an address of its own."""
    outputs = {argument: check_tensor(refuse, argument, given[argument]) for argument in OUTPUTS}
    for argument, name in OUTPUTS.items():
        output, like = outputs[argument], getattr(call, name)
        if output.shape != like.shape or output.dtype != like.dtype:
            legal = f"{describe(like)}, as {name}"
            raise refuse("output-like-input", argument=argument, value=describe(output), legal=legal)
    check_devices(refuse, {"query": call.query, **outputs}, call.run_mode)
    addresses: dict[int, str] = {}
    for argument, output in outputs.items():
        twin = addresses.setdefault(output.data_ptr(), argument)
        if twin != argument or _overlaps_itself(output):
            shown = f"strides {output.stride()}" if twin == argument else f"the storage of {twin}"
            legal = "a tensor whose elements have addresses of their own"
            raise refuse("output-overlap", argument=argument, value=shown, legal=legal, fix="allocate a new tensor")


def _overlaps_itself(tensor: torch.Tensor) -> bool:
    """Whether two elements may share an address: an axis steps less than the extent of the axes inside it."""
    extent = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1:
            if stride < extent:
                return True
            extent = stride * (size - 1) + extent
    return False
