"""Gradients by float64 automatic differentiation: no formula of ours, no LSE, no rounded intermediate."""

from __future__ import annotations

import torch

from bsa.contract.lengths import Lengths
from bsa.contract.problem import Problem
from bsa.reference.determinism import deterministic
from bsa.reference.problem import reference_problem
from bsa.results import Grad


def autograd_oracle(
    dout: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int] = (256, 512),
    actual_seq_lengths: Lengths | None = None,
    actual_seq_lengths_kv: Lengths | None = None,
    layout: str = "BNSD",
    scale: float | None = None,
    num_key_value_heads: int | None = None,
) -> Grad:
    """Gradients of sum(out * dout) by torch's autograd through softmax attention in float64.

    For cases that chain forward and backward: it shares nothing with the other references but the reading of the
    arguments. Query blocks are differentiated one at a time, so that memory does not grow with their number.

    Args:
        dout: gradient of the output, shape of query.
        query: ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; FP16, BF16, FP32 or FP64, any strides.
        key: ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``.
        value: as key.
        block_sparse_mask: BOOL ``[B, Hq, ceil(Sq / bx), ceil(Skv / by)]``; None = every block.
        block_shape: (bx, by), any positive sizes.
        actual_seq_lengths: rows of each query sequence; None = all (BNSD only).
        actual_seq_lengths_kv: the same for keys.
        layout: ``BNSD`` or ``TND``.
        scale: factor on query·key; None = 1 / sqrt(D).
        num_key_value_heads: Hkv again, or None.

    Returns:
        dq, dk, dv in the shapes of query, key, value, float64.

    Raises:
        ContractError: shapes, lengths or options contradict each other.
    """
    problem = reference_problem(
        query,
        key,
        value,
        block_sparse_mask,
        block_shape=block_shape,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    grad = Grad(*(torch.zeros(tensor.shape, dtype=torch.float64) for tensor in (query, key, value)))
    mask = torch.ones(problem.mask_shape, dtype=torch.bool) if block_sparse_mask is None else block_sparse_mask.cpu()
    with deterministic():
        for batch in range(problem.batch):
            for head in range(problem.heads_q):
                rows, columns = _slices(problem, batch, head)
                _add_head(
                    problem,
                    tuple(
                        tensor.detach().cpu()[at] for tensor, at in ((query, rows), (key, columns), (value, columns))
                    ),
                    dout.detach().cpu()[rows],
                    mask[batch, head],
                    Grad(grad.dq[rows], grad.dk[columns], grad.dv[columns]),
                )
    return grad


_Index = tuple[int, int, slice] | tuple[slice, int]


def _slices(problem: Problem, batch: int, head: int) -> tuple[_Index, _Index]:
    """Where the actual rows of one head lie: in query, and in key."""
    length_q, length_kv = problem.lengths_q[batch], problem.lengths_kv[batch]
    head_kv = head // problem.group
    if problem.layout == "TND":
        start_q, start_kv = problem.starts_q[batch], problem.starts_kv[batch]
        return (slice(start_q, start_q + length_q), head), (slice(start_kv, start_kv + length_kv), head_kv)
    return (batch, head, slice(0, length_q)), (batch, head_kv, slice(0, length_kv))


def _add_head(
    problem: Problem, operands: tuple[torch.Tensor, ...], dout: torch.Tensor, mask: torch.Tensor, grad: Grad
) -> None:
    """Adds one head's gradients to views of the results."""
    query, key, value = operands
    rows, columns = problem.block_shape
    block_of = torch.arange(key.shape[0]) // columns
    for block, low in enumerate(range(0, query.shape[0], rows)):
        picked = mask[block][block_of].nonzero()[:, 0]
        if not len(picked):
            continue
        leaves = [part.double().requires_grad_() for part in (query[low : low + rows], key[picked], value[picked])]
        with torch.enable_grad():
            out = torch.softmax(leaves[0] @ leaves[1].mT * problem.scale, dim=-1) @ leaves[2]
            dq, dk, dv = torch.autograd.grad(out, leaves, dout[low : low + rows].double())
        grad.dq[low : low + rows] += dq
        grad.dk[picked] += dk
        grad.dv[picked] += dv
