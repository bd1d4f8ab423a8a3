"""Backward calls for kernels in child processes: a contract in plain numbers in, errors and exact facts out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import torch

from bsa.reference import backward_oracle, backward_same_precision, forward_oracle
from bsa.results import Grad


@dataclass(frozen=True, kw_only=True)
class Contract:
    """One call, small and picklable; tensors follow from the seed."""

    batch: int = 1
    heads_q: int = 1
    heads_kv: int = 1
    seq_q: int = 32
    seq_kv: int = 32
    head_dim: int = 64
    block_shape: tuple[int, int] = (16, 16)
    lengths_q: tuple[int, ...] | None = None
    lengths_kv: tuple[int, ...] | None = None
    layout: str = "BNSD"
    dtype: str = "float16"
    density: float = 1.0
    scale: float | None = None
    seed: int = 0
    hide: tuple[tuple[int, int], ...] = ()
    """(query block or -1, key block or -1) not selected by any head."""

    @property
    def rows(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Actual lengths of queries and of keys."""
        return (
            self.lengths_q or (self.seq_q,) * self.batch,
            self.lengths_kv or (self.seq_kv,) * self.batch,
        )

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of the call and of the references."""
        lengths_q, lengths_kv = self.rows
        return {
            "block_shape": self.block_shape,
            "actual_seq_lengths": lengths_q,
            "actual_seq_lengths_kv": lengths_kv,
            "layout": self.layout,
            "scale": self.scale,
        }


SPARE = 5
"""Rows behind the last sequence of a TND tensor."""


def tensors_of(contract: Contract) -> dict[str, torch.Tensor]:
    """Make dout, query, key, value, mask, and the oracle's out and lse rounded to their dtypes; padding is 0."""
    generator = torch.Generator().manual_seed(contract.seed)
    lengths = contract.rows
    shapes = []
    for side, heads, seq in ((0, contract.heads_q, contract.seq_q), (1, contract.heads_kv, contract.seq_kv)):
        packed = (sum(lengths[side]) + SPARE, heads, contract.head_dim)
        shapes.append(packed if contract.layout == "TND" else (contract.batch, heads, seq, contract.head_dim))
    dtype = getattr(torch, contract.dtype)
    query, key, value, dout = (
        (torch.rand(shapes[side], generator=generator) * 2 - 1).to(dtype) for side in (0, 1, 1, 0)
    )
    given = {"dout": dout, "query": query, "key": key, "value": value}
    given["block_sparse_mask"] = _mask(contract, generator)
    forward = forward_oracle(query, key, value, given["block_sparse_mask"], **contract.options)
    given["attention_out"], given["softmax_lse"] = forward.out.to(dtype), forward.lse.float()
    return dirty(contract, given, 0.0)


def _mask(contract: Contract, generator: torch.Generator) -> torch.Tensor:
    lengths = contract.rows
    covered = [max(1, *lengths[side]) if contract.layout == "TND" else seq for side, seq in _sequences(contract)]
    blocks = [-(-rows // block) for rows, block in zip(covered, contract.block_shape, strict=True)]
    mask = torch.rand((contract.batch, contract.heads_q, *blocks), generator=generator) < contract.density
    for query_block, key_block in contract.hide:
        rows = slice(None) if query_block < 0 else query_block
        columns = slice(None) if key_block < 0 else key_block
        mask[:, :, rows, columns] = False
    return mask


def _sequences(contract: Contract) -> tuple[tuple[int, int], tuple[int, int]]:
    return (0, contract.seq_q), (1, contract.seq_kv)


def dirty(
    contract: Contract, given: dict[str, torch.Tensor], fill: float, only: tuple[str, ...] = ()
) -> dict[str, torch.Tensor]:
    """Return copies with ``fill`` in every row beyond the actual lengths, of the tensors named, by default of all."""
    changed = dict(given)
    for name in only or ("dout", "query", "key", "value", "attention_out", "softmax_lse"):
        lengths = contract.rows[name in {"key", "value"}]
        tensor = given[name].clone()
        if contract.layout == "TND":
            tensor[sum(lengths) :] = fill
        else:
            for batch, length in enumerate(lengths):
                tensor[batch, :, length:] = fill
        changed[name] = tensor
    return changed


def call(contract: Contract, given: dict[str, torch.Tensor], **options: Any) -> Grad:
    """Call the operator."""
    import bsa

    return bsa.block_sparse_attention_grad(**given, **{**contract.options, **options})


@dataclass(frozen=True)
class Verdict:
    """One gradient against its references."""

    name: str
    error: float
    """Largest |a - gold|."""
    limit: float
    """3 times the same-precision reference's, plus half an ulp of the largest gold."""
    finite: bool
    exact_zeros: bool
    """Exact zeros in rows that are zero by definition."""

    @property
    def passed(self) -> bool:
        """Whether all hold."""
        return self.finite and self.exact_zeros and self.error <= self.limit


def judge(contract: Contract, given: dict[str, torch.Tensor], grad: Grad) -> tuple[Verdict, ...]:
    """Hold gradients against the oracle, by rules 1 and 2 of the criterion.

    Zero by definition are dq of rows that select nothing (their O is zero) and dk and dv of keys that nobody attends
    (their dv is zero). Where dq or dk of other rows cancel, FP32 leaves a rounding error.
    """
    gold = backward_oracle(**given, **contract.options)
    same = backward_same_precision(**given, **contract.options)
    keys = (gold.dv == 0).all(dim=-1)
    zeros = ((given["attention_out"] == 0).all(dim=-1), keys, keys)
    return tuple(_verdict(name, *four) for name, *four in zip(Grad._fields, grad, gold, same, zeros, strict=True))


def _verdict(name: str, mine: torch.Tensor, gold: torch.Tensor, same: torch.Tensor, zeros: torch.Tensor) -> Verdict:
    largest = float(gold.abs().max())
    half_ulp = torch.finfo(mine.dtype).eps * 2.0 ** math.floor(math.log2(largest)) / 2 if largest else 0.0
    return Verdict(
        name=name,
        error=float((mine.double() - gold).abs().max()),
        limit=3 * float((same.double() - gold).abs().max()) + half_ulp,
        finite=bool(mine.isfinite().all()),
        exact_zeros=not bool(mine[zeros].any()),
    )


def check(contract: Contract) -> tuple[Verdict, ...]:
    """Run the kernel on clean tensors and judge it."""
    given = tensors_of(contract)
    return judge(contract, given, call(contract, given))


def failures(verdicts: tuple[Verdict, ...]) -> list[Verdict]:
    """Return the verdicts that did not pass."""
    return [verdict for verdict in verdicts if not verdict.passed]


__all__ = ["Contract", "Verdict", "call", "check", "dirty", "failures", "judge", "replace", "tensors_of"]
