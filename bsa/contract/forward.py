"""The contract of the forward call."""

from __future__ import annotations

import torch

from bsa.contract.lengths import Lengths
from bsa.contract.options import check_mask, check_selection
from bsa.contract.problem import Problem
from bsa.contract.profile import PYPTO
from bsa.contract.refusal import Refuse
from bsa.contract.sizes import resolve
from bsa.contract.tensors import (
    check_devices,
    check_dtypes,
    check_elements,
    check_layout,
    check_ranks,
    check_tensor,
)


def check_forward(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int],
    actual_seq_lengths: Lengths | None,
    actual_seq_lengths_kv: Lengths | None,
    layout: str,
    scale: float | None,
    num_key_value_heads: int | None,
    run_mode: str,
) -> Problem:
    """Checks a forward call against profile ``pypto`` and resolves its defaults. Allocates nothing.

    Args:
        query: FP16 ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; any strides.
        key: FP16 ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``.
        value: as key.
        block_sparse_mask: BOOL ``[B, Hq, ceil(Sq / bx), ceil(Skv / by)]``; None = every block.
        block_shape: (bx, by) rows of a query block and of a key block.
        actual_seq_lengths: rows of each query sequence; None = all of them (BNSD only).
        actual_seq_lengths_kv: the same for keys.
        layout: ``BNSD`` or ``TND``.
        scale: factor on query·key; None = 1 / sqrt(D).
        num_key_value_heads: Hkv again, for callers that state it; None = take it from key.
        run_mode: ``sim`` (CPU tensors) or ``npu`` (NPU tensors).

    Returns:
        The problem, with every default resolved.

    Raises:
        ContractError: the first rule that the call breaks.
    """
    refuse = Refuse(PYPTO.name)
    tensors = {
        argument: check_tensor(refuse, argument, tensor)
        for argument, tensor in {"query": query, "key": key, "value": value}.items()
    }
    layout = check_layout(refuse, PYPTO, "layout", layout)
    mask = {}
    if block_sparse_mask is not None:
        mask = {"block_sparse_mask": check_tensor(refuse, "block_sparse_mask", block_sparse_mask)}
    check_ranks(refuse, tensors, layout)
    check_dtypes(refuse, PYPTO, tensors)
    check_devices(refuse, {**tensors, **mask}, run_mode)
    check_elements(refuse, {**tensors, **mask})
    problem = resolve(
        refuse,
        PYPTO,
        tensors,
        block_shape=block_shape,
        lengths={"actual_seq_lengths": actual_seq_lengths, "actual_seq_lengths_kv": actual_seq_lengths_kv},
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    if block_sparse_mask is not None:
        check_mask(refuse, "block_sparse_mask", block_sparse_mask, problem)
    check_selection(refuse, PYPTO, "block_sparse_mask", block_sparse_mask, problem)
    return problem
