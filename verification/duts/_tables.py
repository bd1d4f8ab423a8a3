"""The block tables of a forward call of any size, recounted block by block, without its tensors."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import torch

from bsa.config import DEFAULT
from bsa.contract import Problem, check_forward
from bsa.tables import ForwardTables, forward_tables
from stimuli.case import Case
from stimuli.maker import Maker
from stimuli.parameters import FORWARD, complete

Pick = tuple[int, int]
"""First row and rows of a key block."""


def check_forward_tables(case: Case) -> str:
    """What is wrong with the forward kernel's tables for a case; empty if nothing is.

    Raises:
        bsa.ContractError: the contract refuses the call.
        StimulusError: no mask or lengths can be made from the parameters.
    """
    problem, mask = _problem(case)
    tables = forward_tables(mask, problem, DEFAULT)
    expected = dict(_expected(problem, mask))
    units = tables.units.tolist()[: tables.count]
    if len(units) != len(expected):
        return f"{len(units)} query blocks in the tables, {len(expected)} select something"
    for unit in units:
        wrong = _wrong(unit, tables, expected.get((unit[0], unit[1])))
        if wrong:
            return f"query block from row {unit[0]}, column of heads {unit[1]}: {wrong}"
    return ""


def _wrong(unit: list[int], tables: ForwardTables, expected: tuple[int, int, list[Pick]] | None) -> str:
    if expected is None:
        return "it is in the tables twice, or selects nothing"
    rows, column, picks = expected
    found = [tuple(pick) for pick in tables.picks[unit[4] : unit[4] + len(picks)].tolist()]
    if (unit[2], unit[3], unit[5]) != (rows, column, sum(pick[1] for pick in picks)):
        return f"rows, key head, keys {unit[2], unit[3], unit[5]}, right is {rows, column, sum(p[1] for p in picks)}"
    return "" if found == picks else f"key blocks {found[:4]}, right are {picks[:4]}"


def _problem(case: Case) -> tuple[Problem, torch.Tensor | None]:
    """Sizes and mask of a case; tensors of one element stand for its tensors."""
    reduced, full = complete(case.params, FORWARD)
    maker = Maker(reduced, full, case.seed)
    dtype = getattr(torch, full["dtype"])
    shapes = {}
    for side, lengths in (("q", maker.lengths_q), ("kv", maker.lengths_kv)):
        heads, dim = full[f"heads_{side}"], full["head_dim"]
        tokens = (sum(lengths or ()) + full["tail"], heads, dim)
        shapes[side] = tokens if maker.packed else (full["batch"], heads, full[f"seq_{side}"], dim)
    one = torch.zeros(1, dtype=dtype)
    query, key = (one.expand(shapes[side]) for side in ("q", "kv"))
    mask = None if maker.mask is None else torch.from_numpy(maker.mask)
    arguments = maker.arguments()
    arguments["block_shape"] = tuple(arguments["block_shape"])
    return check_forward(query, key, key, mask, **arguments, num_key_value_heads=None, run_mode="sim"), mask


def _expected(
    problem: Problem, mask: torch.Tensor | None
) -> Iterator[tuple[tuple[int, int], tuple[int, int, list[Pick]]]]:
    """(first row, column of heads) of each query block that selects something, with (rows, key column, picks)."""
    block_q, block_kv = problem.block_shape
    chosen = None if mask is None else mask.tolist()
    for b, (rows_q, rows_kv) in enumerate(zip(problem.lengths_q, problem.lengths_kv, strict=True)):
        begun = range(ceil(rows_kv / block_kv))
        for h in range(problem.heads_q):
            head_kv = h // problem.group
            base_q, column_q = _base(problem, "q", b, h)
            base_kv, column_kv = _base(problem, "kv", b, head_kv)
            for i in range(ceil(rows_q / block_q)):
                blocks = [j for j in begun if chosen is None or chosen[b][h][i][j]]
                picks = [(base_kv + j * block_kv, min(block_kv, rows_kv - j * block_kv)) for j in blocks]
                if picks:
                    rows = min(block_q, rows_q - i * block_q)
                    yield (base_q + i * block_q, column_q), (rows, column_kv, picks)


def _base(problem: Problem, side: str, batch: int, head: int) -> Pick:
    """First row of a sequence of a head, and the head's column, as the kernel sees the tensor."""
    if problem.layout == "TND":
        return (problem.starts_q if side == "q" else problem.starts_kv)[batch], head
    heads, seq = (problem.heads_q, problem.seq_q) if side == "q" else (problem.heads_kv, problem.seq_kv)
    return (batch * heads + head) * seq, 0
