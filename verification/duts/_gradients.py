"""What the judge must know of gradients: which rows are zero by definition, and what FP32 leaves where they cancel."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bsa.contract import Problem
from bsa.reference.items import work

ROUNDING = 2.0**-23
"""Error of dO·V - rowsum(dO * O) in FP32, relative to the sum of the terms' sizes."""


def live_rows(problem: Problem, mask: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Query rows that select a key, and key rows that a query selects; bool, query's and key's shapes without D."""
    query = torch.zeros(problem.tokens_q * problem.heads_q + 1, dtype=torch.bool)
    key = torch.zeros(problem.tokens_kv * problem.heads_kv + 1, dtype=torch.bool)
    for item in work(problem, mask):
        query[item.query] = True
        key[item.key] = True
    return query[:-1].view(problem.lse_shape), key[:-1].view(_key_shape(problem))


def zero_rows(query: torch.Tensor, key: torch.Tensor) -> dict[str, torch.Tensor]:
    """Rows whose gradient is exactly zero by the semantics, by output name.

    Gradients of other rows may be zero by cancellation (dQ and dK of a single key), which no arithmetic has to hit.

    Args:
        query: query rows that select a key, bool.
        key: key rows that a query selects, bool.
    """
    return {"dq": ~query, "dk": ~key, "dv": ~key}


def cancellation(
    tensors: Mapping[str, torch.Tensor], out: torch.Tensor, scale: float, *, query: torch.Tensor, key: torch.Tensor
) -> dict[str, float]:
    """Absolute error of an element of dQ and dK that FP32 may leave where dO·V and rowsum(dO * O) cancel.

    An element of dQ sums over keys whose weights add up to 1. One of dK sums over query rows, each of which may have
    the weight 1 and a rounding error of its own: their sum grows with the root of the number of rows.

    Args:
        tensors: query, key and dout of the call.
        out: O of the forward pass, shape of query.
        scale: factor on query·key.
        query: query rows that select a key, bool.
        key: key rows that a query selects, bool.
    """
    if not query.any():
        return {}
    terms = (tensors["dout"][query].float() * out[query].float()).abs().sum(dim=-1)
    factor = ROUNDING * float(terms.max()) * abs(scale)
    largest_query = float(tensors["query"][query].float().abs().max())
    largest_key = float(tensors["key"][key].float().abs().max())
    return {"dq": factor * largest_key, "dk": factor * largest_query * _rows_of_a_head(query) ** 0.5}


def _rows_of_a_head(query: torch.Tensor) -> int:
    """Most query rows of one head that select a key; of packed sequences, of all of them."""
    return int(query.sum(dim=-1 if query.dim() == 3 else 0).max())


def _key_shape(problem: Problem) -> tuple[int, ...]:
    if problem.layout == "TND":
        return (problem.tokens_kv, problem.heads_kv)
    return (problem.batch, problem.heads_kv, problem.seq_kv)
