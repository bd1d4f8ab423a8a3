"""Reference forward passes: the float64 oracle, and the same-precision reference."""

from __future__ import annotations

import torch

from bsa.contract.lengths import Lengths
from bsa.contract.problem import Problem
from bsa.reference.determinism import deterministic
from bsa.reference.items import work
from bsa.reference.problem import reference_problem
from bsa.reference.rows import empty_table, gather, query_rows, table
from bsa.results import Forward

VALUE_TILE = 160
"""Keys that the same-precision reference sums at once: no kernel of ours blocks so."""


def forward_oracle(
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
) -> Forward:
    """Block-sparse attention in float64, over selected blocks only.

    A block that is not selected is never read, nor is anything beyond the actual lengths. Rows that select nothing and
    rows beyond the lengths: out 0, lse -inf. Same bits for every thread count (see ``determinism``).

    Args:
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
        out, shape of query, float64; lse ``[B, Hq, Sq]`` or ``[Tq, Hq]``, float64, natural logarithm.

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
    with deterministic():
        return _run(problem, query, key, value, block_sparse_mask, exact=True)


def forward_same_precision(
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
) -> Forward:
    """Block-sparse attention as an ideal kernel of the operands' precision would do it: how large a fair error is.

    Matrix products in FP32 on the given operands, scale and softmax in FP32, P divided by its sum and rounded to the
    operands' dtype, products with V summed in FP32 over tiles of 160 keys, the result rounded to the operands' dtype.
    Never torch's own FP16 product, which differs between processors. Semantics and arguments of ``forward_oracle``.

    Returns:
        out, shape and dtype of query; lse as of the oracle, float32.

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
    with deterministic():
        return _run(problem, query, key, value, block_sparse_mask, exact=False)


def _run(
    problem: Problem,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    *,
    exact: bool,
) -> Forward:
    """Both references differ only in the precision of each step."""
    compute = torch.float64 if exact else torch.float32
    width = problem.head_dim
    queries, keys, values = (table(tensor.cpu(), width, 0.0) for tensor in (query, key, value))
    spare = query_rows(problem).spare
    out = empty_table(spare, width, 0.0, compute if exact else problem.dtype)
    lse = empty_table(spare, 1, -torch.inf, compute)
    for item in work(problem, mask):
        scores = torch.bmm(gather(queries, item.query, compute), gather(keys, item.key, compute).mT)
        scores *= problem.scale
        if item.hidden is not None:
            scores.masked_fill_(item.hidden, -torch.inf)
        peak = scores.amax(dim=-1, keepdim=True)
        weights = scores.sub_(peak).exp_()
        total = weights.sum(dim=-1, keepdim=True)
        gathered = gather(values, item.key, compute)
        if exact:
            result = torch.bmm(weights, gathered).div_(total)
        else:
            result = _tiled(weights.div_(total).to(problem.dtype).to(compute), gathered)
        rows = item.query.reshape(-1)
        out[rows] = result.reshape(-1, width).to(out.dtype)
        lse[rows] = peak.add_(total.log_()).reshape(-1, 1)
    return Forward(out[:spare].view(query.shape), lse[:spare].view(problem.lse_shape))


def _tiled(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Weights @ values, summed tile by tile."""
    result = values.new_zeros(weights.shape[0], weights.shape[1], values.shape[2])
    for low in range(0, weights.shape[2], VALUE_TILE):
        result += torch.bmm(weights[:, :, low : low + VALUE_TILE], values[:, low : low + VALUE_TILE])
    return result
