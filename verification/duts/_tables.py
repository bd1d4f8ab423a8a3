"""The block tables of a call of any size, recounted block by block, without its tensors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import ceil, prod
from typing import Final

import torch

from bsa.blocks import selected_blocks
from bsa.config import DEFAULT
from bsa.contract import Problem, check_forward
from bsa.kernels.backward_config import DEFAULT as BACKWARD_DEFAULT
from bsa.kernels.backward_tables import PhaseTables, key_tables, query_tables
from bsa.tables import ForwardTables, forward_tables
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.maker import Maker
from stimuli.parameters import FORWARD, complete

Place = tuple[int, ...]
"""First row, column of heads and rows of a block."""
Units = Mapping[Place, list[Place]]
"""For each block of one side the blocks of the other that it meets, in order."""
_MOST_ELEMENTS: Final = 2**63 - 1
"""Elements that a tensor can have at all; the contract allows fewer."""


def check_forward_tables(case: Case) -> str:
    """What is wrong with the forward kernel's tables for a case; empty if nothing is.

    Raises:
        bsa.ContractError: the contract refuses the call.
        StimulusError: no mask or lengths can be made from the parameters.
    """
    problem, mask = sizes_of(case)
    expected = _expected(problem, mask, by_query=True)
    return _compare(_forward_units(forward_tables(mask, problem, DEFAULT)), expected, "query block")


def check_backward_tables(case: Case) -> str:
    """What is wrong with the backward kernel's tables for a case; empty if nothing is.

    Raises:
        bsa.ContractError: the contract refuses the forward call with these sizes.
        StimulusError: no mask or lengths can be made from the parameters.
    """
    problem, mask = sizes_of(case)
    selected, dim = selected_blocks(mask, problem), problem.head_dim
    first = query_tables(selected, problem, BACKWARD_DEFAULT.widest(problem.block_shape[1], dim))
    second = key_tables(selected, problem, BACKWARD_DEFAULT.widest(problem.block_shape[0], dim))
    wrong = _compare(_phase_units(first), _expected(problem, mask, by_query=True), "phase 1, query block")
    return wrong or _compare(_phase_units(second), _expected(problem, mask, by_query=False), "phase 2, key block")


def _compare(found: Iterator[tuple[Place, list[Place]]], expected: Units, what: str) -> str:
    seen: set[Place] = set()
    for place, entries in found:
        if place in seen or place not in expected:
            return f"{what} {place} is in the tables twice, or meets nothing"
        if entries != expected[place]:
            return f"{what} {place} meets {entries[:4]}, right are {expected[place][:4]}"
        seen.add(place)
    missing = next((place for place in expected if place not in seen), None)
    return "" if missing is None else f"{what} {missing} is not in the tables"


def _forward_units(tables: ForwardTables) -> Iterator[tuple[Place, list[Place]]]:
    """Units of the forward tables; the keys that a unit attends to say how many of its picks are no padding."""
    picks = tables.picks.tolist()
    for row, head, rows, column, first, keys, _ in tables.units.tolist()[: tables.count]:
        entries: list[Place] = []
        while sum(entry[2] for entry in entries) < keys:
            pick = picks[first + len(entries)]
            entries.append((pick[0], column, pick[1]))
        yield (row, head, rows), entries


def _phase_units(tables: PhaseTables) -> Iterator[tuple[Place, list[Place]]]:
    """Units of a phase of the backward tables; the rows of a chunk say how many of its slots are entries."""
    chunks = tables.chunks.tolist()
    for row, head, rows, _, first, number in tables.units.tolist()[: tables.ends[2]]:
        entries: list[Place] = []
        for chunk in chunks[first : first + number]:
            left = chunk[0]
            for slot in range(1, len(chunk), 3):
                if left > 0:
                    entries.append(tuple(chunk[slot : slot + 3]))
                    left -= chunk[slot + 2]
        yield (row, head, rows), entries


def selects_in(case: Case) -> bool:
    """Whether any row of a case has any key to attend to.

    Raises:
        bsa.ContractError: the contract refuses the forward call with these sizes.
        StimulusError: no mask or lengths can be made from the parameters.
    """
    problem, mask = sizes_of(case)
    return bool(selected_blocks(mask, problem).any())


def sizes_of(case: Case) -> tuple[Problem, torch.Tensor | None]:
    """Sizes and mask of a case; tensors of one element stand for its tensors."""
    known = {name: value for name, value in case.params.items() if name in {item.name for item in FORWARD}}
    reduced, full = complete(known, FORWARD)
    maker = Maker(reduced, full, case.seed)
    shapes: dict[str, tuple[int, ...]] = {}
    for side, lengths in (("q", maker.lengths_q), ("kv", maker.lengths_kv)):
        heads, dim = full[f"heads_{side}"], full["head_dim"]
        rows = full[f"seq_{side}"]
        tokens = sum(min(max(one, 0), rows) for one in (lengths or ())[: full["batch"]]) + full["tail"]
        shapes[side] = (tokens, heads, dim) if maker.packed else (full["batch"], heads, rows, dim)
        if prod(shapes[side]) > _MOST_ELEMENTS:
            legal = f"a tensor of at most {_MOST_ELEMENTS} elements"
            raise StimulusError(argument=f"batch, heads_{side}, seq_{side}, head_dim", value=shapes[side], legal=legal)
    one = torch.zeros(1, dtype=getattr(torch, full["dtype"]))
    query, key = one.expand(shapes["q"]), one.expand(shapes["kv"])
    mask = None if maker.mask is None else torch.from_numpy(maker.mask)
    arguments = maker.arguments()
    arguments["block_shape"] = tuple(arguments["block_shape"])
    return check_forward(query, key, key, mask, **arguments, num_key_value_heads=None, run_mode="sim"), mask


def _expected(problem: Problem, mask: torch.Tensor | None, *, by_query: bool) -> Units:
    """What each block meets, counted one by one."""
    units: dict[Place, list[Place]] = defaultdict(list)
    for query, key in _meetings(problem, mask):
        mine, other = (query, key) if by_query else (key, query)
        units[mine].append(other)
    return units


def _meetings(problem: Problem, mask: torch.Tensor | None) -> Iterator[tuple[Place, Place]]:
    """(query block, key block) for every selected block, by batch, query head, query block, key block."""
    block_q, block_kv = problem.block_shape
    chosen = None if mask is None else mask.tolist()
    for b, (rows_q, rows_kv) in enumerate(zip(problem.lengths_q, problem.lengths_kv, strict=True)):
        for h in range(problem.heads_q):
            base_q, column_q = _base(problem, "q", b, h)
            base_kv, column_kv = _base(problem, "kv", b, h // problem.group)
            for i in range(ceil(rows_q / block_q)):
                query = (base_q + i * block_q, column_q, min(block_q, rows_q - i * block_q))
                for j in range(ceil(rows_kv / block_kv)):
                    if chosen is None or chosen[b][h][i][j]:
                        yield query, (base_kv + j * block_kv, column_kv, min(block_kv, rows_kv - j * block_kv))


def _base(problem: Problem, side: str, batch: int, head: int) -> tuple[int, int]:
    """First row of a sequence of a head, and the head's column, as the kernel sees the tensor."""
    if problem.layout == "TND":
        return (problem.starts_q if side == "q" else problem.starts_kv)[batch], head
    heads, seq = (problem.heads_q, problem.seq_q) if side == "q" else (problem.heads_kv, problem.seq_kv)
    return (batch * heads + head) * seq, 0
