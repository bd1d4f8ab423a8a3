"""Reference backward passes: the formula in float64, and in the operands' precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from bsa.contract.lengths import Lengths
from bsa.contract.problem import Problem
from bsa.reference.determinism import deterministic
from bsa.reference.items import Work, work
from bsa.reference.problem import reference_backward_problem
from bsa.reference.rows import empty_table, gather, key_rows, query_rows, table
from bsa.results import Grad


def backward_oracle(  # noqa: PLR0917 - the operator's own order
    dout: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_out: torch.Tensor,
    softmax_lse: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int] = (256, 512),
    actual_seq_lengths: Lengths | None = None,
    actual_seq_lengths_kv: Lengths | None = None,
    layout: str = "BNSD",
    scale: float | None = None,
    num_key_value_heads: int | None = None,
) -> Grad:
    """Gradients by the operator's formula in float64, on the inputs given: P is recomputed from the LSE given.

    P = exp(scale·Q·Kᵀ - LSE), dV = Pᵀ·dO, dS = P * (dO·Vᵀ - rowsum(dO * O)), dQ = scale·dS·K, dK = scale·dSᵀ·Q; dK and
    dV sum over the query heads of a group. Blocks that are not selected and rows beyond the actual lengths are never
    read; their gradients are exactly zero. Same bits for every thread count (see ``determinism``).

    Args:
        dout: gradient of the output, shape of query.
        query: ``[B, Hq, Sq, D]``, in TND ``[Tq, Hq, D]``; FP16, BF16, FP32 or FP64, any strides.
        key: ``[B, Hkv, Skv, D]``, in TND ``[Tkv, Hkv, D]``.
        value: as key.
        attention_out: output of the forward pass, shape of query.
        softmax_lse: natural log-sum-exp, ``[B, Hq, Sq]`` or ``[B, Hq, Sq, 1]``, in TND ``[Tq, Hq]`` or ``[Tq, Hq, 1]``.
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
    given = Given(dout, query, key, value, attention_out, softmax_lse, block_sparse_mask)
    problem = reference_backward_problem(
        given._asdict(),
        block_shape=block_shape,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    with deterministic():
        return _Backward(problem, given, exact=True).run()


def backward_same_precision(  # noqa: PLR0917 - the operator's own order
    dout: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_out: torch.Tensor,
    softmax_lse: torch.Tensor,
    block_sparse_mask: torch.Tensor | None,
    *,
    block_shape: tuple[int, int] = (256, 512),
    actual_seq_lengths: Lengths | None = None,
    actual_seq_lengths_kv: Lengths | None = None,
    layout: str = "BNSD",
    scale: float | None = None,
    num_key_value_heads: int | None = None,
) -> Grad:
    """Gradients as an ideal kernel of the operands' precision would compute them: how large a fair error is.

    Matrix products in FP32, P and dS rounded to the operands' dtype before they are multiplied, sums over blocks and
    heads in FP32, the scale applied once in FP32, results rounded to the operands' dtype. Semantics and arguments of
    ``backward_oracle``.

    Returns:
        dq, dk, dv in the shapes of query, key, value and in their dtype.

    Raises:
        ContractError: shapes, lengths or options contradict each other.
    """
    given = Given(dout, query, key, value, attention_out, softmax_lse, block_sparse_mask)
    problem = reference_backward_problem(
        given._asdict(),
        block_shape=block_shape,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        layout=layout,
        scale=scale,
        num_key_value_heads=num_key_value_heads,
    )
    with deterministic():
        return _Backward(problem, given, exact=False).run()


class Given(NamedTuple):
    """The tensors of a backward call, in the operator's order."""

    dout: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attention_out: torch.Tensor
    softmax_lse: torch.Tensor
    block_sparse_mask: torch.Tensor | None


@dataclass
class _Operands:
    """Gathered rows of one batch of work, in the precision computed in: ``[items, rows or columns, D]``."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    dout: torch.Tensor
    out: torch.Tensor
    lse: torch.Tensor


class _Backward:
    """One backward computation: tables of inputs, accumulators of outputs."""

    def __init__(self, problem: Problem, given: Given, *, exact: bool) -> None:
        self.problem = problem
        self.given = given
        self.compute = torch.float64 if exact else torch.float32
        self.rounded = torch.float64 if exact else problem.dtype
        width = problem.head_dim
        wide = ("query", "key", "value", "dout", "attention_out")
        self.tables = {name: table(given._asdict()[name].cpu(), width, 0.0) for name in wide}
        self.tables["softmax_lse"] = table(given.softmax_lse.cpu(), 1, 0.0)
        self.spare_q, self.spare_kv = query_rows(problem).spare, key_rows(problem).spare
        self.dq = empty_table(self.spare_q, width, 0.0, self.compute)
        self.dk = empty_table(self.spare_kv, width, 0.0, self.compute)
        self.dv = empty_table(self.spare_kv, width, 0.0, self.compute)

    def run(self) -> Grad:
        for item in work(self.problem, self.given.block_sparse_mask):
            self._add(item, self._operands(item))
        self.dq *= self.problem.scale
        self.dk *= self.problem.scale
        return Grad(
            dq=self.dq[: self.spare_q].view(self.given.query.shape).to(self.rounded),
            dk=self.dk[: self.spare_kv].view(self.given.key.shape).to(self.rounded),
            dv=self.dv[: self.spare_kv].view(self.given.value.shape).to(self.rounded),
        )

    def _operands(self, item: Work) -> _Operands:
        def rows(name: str, index: torch.Tensor) -> torch.Tensor:
            return gather(self.tables[name], index, self.compute)

        return _Operands(
            query=rows("query", item.query),
            key=rows("key", item.key),
            value=rows("value", item.key),
            dout=rows("dout", item.query),
            out=rows("attention_out", item.query),
            lse=rows("softmax_lse", item.query),
        )

    def _add(self, item: Work, of: _Operands) -> None:
        """Adds the share of one batch of work to all three gradients."""
        scores = torch.bmm(of.query, of.key.mT).mul_(self.problem.scale)
        if item.hidden is not None:
            scores.masked_fill_(item.hidden, -torch.inf)
        weights = scores.sub_(of.lse).exp_()
        change = torch.bmm(of.dout, of.value.mT)
        change.sub_((of.dout * of.out).sum(dim=-1, keepdim=True)).mul_(weights)
        weights, change = (tensor.to(self.rounded).to(self.compute) for tensor in (weights, change))
        self._into(self.dq, item.query, torch.bmm(change, of.key))
        self._into(self.dk, item.key, torch.bmm(change.mT, of.query))
        self._into(self.dv, item.key, torch.bmm(weights.mT, of.dout))

    def _into(self, target: torch.Tensor, index: torch.Tensor, share: torch.Tensor) -> None:
        target.index_add_(0, index.reshape(-1), share.reshape(-1, share.shape[-1]))
