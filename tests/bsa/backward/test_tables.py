"""The backward kernel's tables name every selected pair of blocks once, and chunks keep their rows together."""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import Any

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bsa.blocks import selected_blocks
from bsa.contract import Problem
from bsa.contract.profile import MAXIMUM_ELEMENTS, MAXIMUM_SELECTED
from bsa.kernels.backward_config import DEFAULT, MOST_ENTRIES
from bsa.kernels.backward_tables import PhaseTables, chunk_columns, key_tables, query_tables


@st.composite
def problems(draw: st.DrawFn) -> tuple[Problem, torch.Tensor]:
    """Draw sizes of either layout, and a mask."""
    layout = draw(st.sampled_from(("BNSD", "TND")))
    batch, heads_kv, group = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.sampled_from((1, 2, 7)))
    seq = draw(st.integers(1, 100)), draw(st.integers(1, 100))
    lengths = [tuple(draw(st.integers(0, rows)) for _ in range(batch)) for rows in seq]
    if layout == "TND":
        seq = max(1, *lengths[0]), max(1, *lengths[1])
    tokens = [sum(one) + 3 if layout == "TND" else batch * rows for one, rows in zip(lengths, seq, strict=True)]
    problem = Problem(
        batch=batch,
        heads_q=heads_kv * group,
        heads_kv=heads_kv,
        seq_q=seq[0],
        seq_kv=seq[1],
        head_dim=64,
        block_shape=(draw(st.sampled_from((16, 32, 48))), draw(st.sampled_from((16, 32, 48)))),
        lengths_q=lengths[0],
        lengths_kv=lengths[1],
        tokens_q=tokens[0],
        tokens_kv=tokens[1],
        scale=0.125,
        dtype=torch.float16,
        layout=layout,
    )
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    return problem, torch.rand(problem.mask_shape, generator=generator) < draw(st.sampled_from((0.0, 0.3, 1.0)))


def pairs(tables: PhaseTables) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return (unit's row, head, rows, entry's row, head, rows) as the kernel's loops meet them, dummies left out."""
    found = []
    for row, head, rows, _, first, number in tables.units[: tables.ends[2]].tolist():
        for valid, *slots in tables.chunks[first : first + number].tolist():
            left = valid
            for slot in np.array(slots).reshape(-1, 3).tolist():
                if left > 0:
                    found.append(((row, head, rows), tuple(slot)))
                    left -= slot[2]
            assert left == 0
    return found


def naive(problem: Problem, mask: torch.Tensor) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return (query block, key block) addresses of every selected pair, by loops."""
    found = []
    for batch, head, i, j in mask.nonzero().tolist():
        rows = min(problem.block_shape[0], problem.lengths_q[batch] - i * problem.block_shape[0])
        columns = min(problem.block_shape[1], problem.lengths_kv[batch] - j * problem.block_shape[1])
        if rows <= 0 or columns <= 0:
            continue
        shared, low, left = head // problem.group, i * problem.block_shape[0], j * problem.block_shape[1]
        if problem.layout == "TND":
            query = problem.starts_q[batch] + low, head, rows
            key = problem.starts_kv[batch] + left, shared, columns
        else:
            query = (batch * problem.heads_q + head) * problem.seq_q + low, 0, rows
            key = (batch * problem.heads_kv + shared) * problem.seq_kv + left, 0, columns
        found.append((query, key))
    return found


def phases(problem: Problem, mask: torch.Tensor) -> tuple[PhaseTables, PhaseTables]:
    """Return both tables."""
    selected = selected_blocks(mask, problem)
    return (
        query_tables(selected, problem, DEFAULT.widest(problem.block_shape[1], problem.head_dim)),
        key_tables(selected, problem, DEFAULT.widest(problem.block_shape[0], problem.head_dim)),
    )


@settings(max_examples=50, deadline=None)
@given(problems())
def test_both_phases_meet_every_selected_pair_once(drawn: tuple[Problem, torch.Tensor]) -> None:
    """Phase 1 lists key blocks by query block, phase 2 query blocks by key block; both list the same pairs."""
    expected = sorted(naive(*drawn))
    first, second = phases(*drawn)
    assert sorted(pairs(first)) == expected
    assert sorted((query, key) for key, query in pairs(second)) == expected


@settings(max_examples=50, deadline=None)
@given(problems())
def test_a_block_cut_short_ends_its_chunk(drawn: tuple[Problem, torch.Tensor]) -> None:
    """The rows that hold data are the first of a chunk's tile: every entry but the last is a whole block."""
    problem, mask = drawn
    for tables, block in zip(phases(problem, mask), reversed(problem.block_shape), strict=True):
        for valid, *_ in tables.chunks.tolist():
            assert valid <= tables.width * block
        rows = tables.chunks[:, 3::3]
        whole = torch.clamp(-(-tables.chunks[:, :1] // block) - 1, min=0)
        assert (torch.where(torch.arange(tables.width) < whole, rows, block) == block).all()


@settings(max_examples=50, deadline=None)
@given(problems())
def test_phase_one_knows_the_key_head_of_each_query_head(drawn: tuple[Problem, torch.Tensor]) -> None:
    """The fourth column of a unit is the head of every one of its entries."""
    first, _ = phases(*drawn)
    for unit in first.units[: first.ends[2]].tolist():
        assert (first.chunks[unit[4] : unit[4] + unit[5], 2::3] == unit[3]).all()


@settings(max_examples=50, deadline=None)
@given(problems())
def test_units_come_in_three_classes_longest_first(drawn: tuple[Problem, torch.Tensor]) -> None:
    """Several chunks in falling number, then one chunk of several entries, then single entries."""
    problem, mask = drawn
    for tables, block in zip(phases(problem, mask), reversed(problem.block_shape), strict=True):
        carried, wide, end = tables.ends
        number = tables.units[:, 5]
        assert (number[:carried] > 1).all()
        assert (number[:carried].diff() <= 0).all()
        assert (number[carried:end] == 1).all()
        entries = -(-tables.chunks[tables.units[:end, 4].long(), 0] // block)
        assert (entries[carried:wide] > 1).all()
        assert (entries[wide:] == 1).all()


@settings(max_examples=30, deadline=None)
@given(problems())
def test_tables_are_contiguous_int32(drawn: tuple[Problem, torch.Tensor]) -> None:
    """What PyPTO takes: it refuses strides, and trusts dtypes."""
    for tables in phases(*drawn):
        for part in (tables.units, tables.chunks):
            assert part.is_contiguous()
            assert part.dtype == torch.int32


def dense_problem(heads: int, rows: int, columns: int, *, block: int = 16) -> Problem:
    """Return one sequence of ``rows`` and ``columns``."""
    return Problem(
        batch=1,
        heads_q=heads,
        heads_kv=heads,
        seq_q=rows,
        seq_kv=columns,
        head_dim=64,
        block_shape=(block, block),
        lengths_q=(rows,),
        lengths_kv=(columns,),
        tokens_q=rows,
        tokens_kv=columns,
        scale=0.125,
        dtype=torch.float16,
        layout="BNSD",
    )


def test_width_is_no_larger_than_the_longest_chunk_needs() -> None:
    """A width is the power of two that holds the longest chunk, up to what the widest tile allows."""
    for blocks, expected in ((1, 1), (2, 2), (3, 4), (5, 8), (20, 16)):
        problem = dense_problem(1, 16, 16 * blocks)
        first, _ = phases(problem, torch.ones(problem.mask_shape, dtype=torch.bool))
        assert first.width == expected
        assert len(first.chunks) == math.ceil(blocks / expected)


def lines_run(problem: Problem) -> int:
    """Count the lines of Python in ``bsa`` that making both tables runs."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if "/bsa/" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    mask = torch.ones(problem.mask_shape, dtype=torch.bool)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        phases(problem, mask)
    finally:
        sys.settrace(before)
    return count


def test_no_python_loop_over_heads_or_blocks() -> None:
    """Making the tables runs the same lines of Python for 4 selected pairs and for 32768."""
    assert lines_run(dense_problem(1, 32, 32)) == lines_run(dense_problem(8, 1024, 1024))


def test_tables_grow_with_the_selected_pairs() -> None:
    """A few numbers per pair and unit, whatever the number of blocks."""
    problem = dense_problem(4, 1600, 1600)
    mask = torch.rand(problem.mask_shape, generator=torch.Generator().manual_seed(0)) < 0.05
    numbers = sum(part.numel() for tables in phases(problem, mask) for part in (tables.units, tables.chunks))
    assert numbers <= 2 * 16 * int(mask.sum()) + 2 * 6 * 4 * 100


@settings(max_examples=60, deadline=None)
@given(problems())
def test_no_table_outgrows_its_addresses_where_the_contract_ends(drawn: tuple[Problem, torch.Tensor]) -> None:
    """At most 49 numbers per selected block, so that the most blocks that a call may select stay below 2^31."""
    most = chunk_columns(MOST_ENTRIES)
    assert most * MAXIMUM_SELECTED <= MAXIMUM_ELEMENTS
    for tables in phases(*drawn):
        assert all(part.numel() <= most * max(1, int(drawn[1].sum())) for part in (tables.units, tables.chunks))
