"""The problem a reference is asked to solve: the contract's shapes without any kernel's limits."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bsa.contract.lengths import Lengths
from bsa.contract.lse import check_lse
from bsa.contract.options import check_mask
from bsa.contract.problem import Problem
from bsa.contract.profile import REFERENCE
from bsa.contract.refusal import Refuse
from bsa.contract.sizes import resolve
from bsa.contract.tensors import check_dtypes, check_layout, check_like, check_ranks, check_tensor


def reference_problem(
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
) -> Problem:
    """The problem that the arguments describe; any head_dim, any block shape, FP16 to FP64, both layouts.

    Raises:
        ContractError: shapes, lengths or options contradict each other.
    """
    refuse = Refuse(REFERENCE.name)
    named = {"query": query, "key": key, "value": value}
    tensors = {argument: check_tensor(refuse, argument, tensor) for argument, tensor in named.items()}
    layout = check_layout(refuse, REFERENCE, "layout", layout)
    check_ranks(refuse, tensors, layout)
    check_dtypes(refuse, REFERENCE, tensors)
    problem = resolve(
        refuse,
        REFERENCE,
        tensors,
        block_shape=block_shape,
        lengths={"actual_seq_lengths": actual_seq_lengths, "actual_seq_lengths_kv": actual_seq_lengths_kv},
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    if block_sparse_mask is not None:
        check_mask(refuse, "block_sparse_mask", check_tensor(refuse, "block_sparse_mask", block_sparse_mask), problem)
    return problem


def reference_backward_problem(
    tensors: Mapping[str, torch.Tensor | None],
    *,
    block_shape: tuple[int, int],
    actual_seq_lengths: Lengths | None,
    actual_seq_lengths_kv: Lengths | None,
    layout: str,
    scale: float | None,
    num_key_value_heads: int | None,
) -> Problem:
    """The problem that the arguments of a backward call describe, as ``reference_problem``.

    Raises:
        ContractError: shapes, lengths or options contradict each other.
    """
    refuse = Refuse(REFERENCE.name)
    names = ("query", "key", "value", "dout", "attention_out", "softmax_lse")
    query, key, value, dout, out, lse = (check_tensor(refuse, name, tensors[name]) for name in names)
    problem = reference_problem(
        query,
        key,
        value,
        tensors["block_sparse_mask"],
        block_shape=block_shape,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    check_like(refuse, {"dout": dout, "attention_out": out}, query)
    check_lse(refuse, lse, problem, dtypes=(torch.float32, torch.float64), flat=True)
    return problem
