"""A launch of any size that never happened: a small one is traced, and given the large one's shapes and tables.

The trace of our kernels holds no size; what it does depend on (dtype, head_dim, block shape, which widths and chunks
occur) the small call has in common with the large one.
"""

from __future__ import annotations

from dataclasses import replace

import torch

import bsa
from bsa._pypto import trace_only
from bsa.config import DEFAULT
from bsa.contract import Problem
from bsa.kernels.backward_config import DEFAULT as BACKWARD_DEFAULT
from stimuli.case import Case
from verification.duts._dense import Rows, backward_tables, forward_tables
from verification.duts._tables import sizes_of
from verification.shadow import Launched, record


def forward_launch(case: Case) -> Launched:
    """The launch that ``bsa.forward`` would make for a dense case.

    Raises:
        bsa.ContractError: the contract refuses the call.
        StimulusError: no lengths can be made from the parameters.
    """
    problem, _ = sizes_of(case)
    tables = forward_tables(problem, DEFAULT)
    most = DEFAULT.widths(problem.block_shape[1], problem.blocks_kv)[0][-1]
    keys = min(problem.blocks_kv, most + 1) * problem.block_shape[1]
    query, key = _tensor(problem, 1, problem.block_shape[0]), _tensor(problem, 1, keys)
    with trace_only(), record() as recording:
        bsa.block_sparse_attention(query, key, key, None, block_shape=problem.block_shape)
    rows = {name: table.shape for name, table in tables.items()}
    wide = _two_axes(problem, queries=True)
    shapes = {
        "query": wide,
        "out": wide,
        "lse": _per_row(problem),
        **dict.fromkeys(("key", "value"), _two_axes(problem)),
    }
    return _enlarged(recording[0], {**shapes, **rows}, tables)


def backward_launch(case: Case) -> Launched:
    """The launch that ``bsa.backward`` would make for a dense case.

    Raises:
        bsa.ContractError: the contract refuses the call.
        StimulusError: no lengths can be made from the parameters.
    """
    problem, _ = sizes_of(case)
    tables, _ = backward_tables(problem, BACKWARD_DEFAULT)
    launched = _small_backward(problem)
    wide, narrow = _two_axes(problem, queries=True), _two_axes(problem)
    shapes = {
        **dict.fromkeys(("query", "dout", "dq"), wide),
        **dict.fromkeys(("key", "value", "dk", "dv"), narrow),
        **dict.fromkeys(("lse", "delta"), _per_row(problem)),
        **{name: table.shape for name, table in tables.items()},
    }
    return _enlarged(launched, shapes, tables)


def _small_backward(problem: Problem) -> Launched:
    """A call with one query block that meets many key blocks, and one key block that meets many query blocks."""
    (block_q, block_kv), dim = problem.block_shape, problem.head_dim
    most_q, most_kv = BACKWARD_DEFAULT.widest(block_q, dim), BACKWARD_DEFAULT.widest(block_kv, dim)
    heads = 1 if problem.blocks_q > most_q else min(problem.group, most_q + 1)
    rows_q = _shortened(problem.seq_q, block_q, most_q + 1)
    rows_kv = _shortened(problem.seq_kv, block_kv, most_kv + 1)
    query, key = _tensor(problem, heads, rows_q), _tensor(problem, 1, rows_kv)
    mask = torch.zeros(1, heads, -(-rows_q // block_q), -(-rows_kv // block_kv), dtype=torch.bool)
    mask[..., 0] = True
    mask[0, 0, 0] = True
    lse = torch.zeros(1, heads, rows_q)
    with trace_only(), record() as recording:
        bsa.block_sparse_attention_grad(query, query, key, key, query, lse, mask, block_shape=problem.block_shape)
    return recording[0]


def _shortened(rows: int, block: int, blocks: int) -> int:
    """At most so many blocks, the last as long as it was."""
    there = -(-rows // block)
    return rows if there <= blocks else rows - (there - blocks) * block


def _tensor(problem: Problem, heads: int, rows: int) -> torch.Tensor:
    return torch.zeros(1, heads, rows, problem.head_dim, dtype=problem.dtype)


def _two_axes(problem: Problem, *, queries: bool = False) -> tuple[int, int]:
    """Shape of a tensor as the kernel sees it."""
    tokens, heads = (problem.tokens_q, problem.heads_q) if queries else (problem.tokens_kv, problem.heads_kv)
    if problem.layout == "TND":
        return tokens, heads * problem.head_dim
    return tokens * heads, problem.head_dim


def _per_row(problem: Problem) -> tuple[int, int]:
    """Shape of the log-sum-exp as the kernel sees it."""
    if problem.layout == "TND":
        return problem.tokens_q, problem.heads_q
    return problem.tokens_q * problem.heads_q, 1


def _enlarged(launched: Launched, shapes: dict[str, tuple[int, int]], tables: dict[str, Rows]) -> Launched:
    unknown = set(launched.shapes) ^ set(shapes)
    if unknown:
        raise KeyError(f"the kernel's parameters and the sizes given differ in {sorted(unknown)}")
    return replace(launched, shapes=shapes, tables=tables)
