"""The tables list exactly the work of the definition, grouped by width, without a Python loop over blocks."""

import math
import tracemalloc

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bsa.config import DEFAULT, KernelConfig
from bsa.contract import Problem
from bsa.contract.profile import MAXIMUM_ELEMENTS, MAXIMUM_SELECTED
from bsa.tables import forward_tables
from tests.bsa.tables import naive


def make_problem(**changes):
    sizes = {
        "batch": 1,
        "heads_q": 2,
        "heads_kv": 1,
        "seq_q": 40,
        "seq_kv": 70,
        "head_dim": 128,
        "block_shape": (16, 16),
        "scale": 1.0,
        "dtype": torch.float16,
        "layout": "BNSD",
        **changes,
    }
    lengths_q = sizes.setdefault("lengths_q", (sizes["seq_q"],) * sizes["batch"])
    lengths_kv = sizes.setdefault("lengths_kv", (sizes["seq_kv"],) * sizes["batch"])
    tnd = sizes["layout"] == "TND"
    tokens_q = sum(lengths_q) if tnd else sizes["batch"] * sizes["seq_q"]
    tokens_kv = sum(lengths_kv) if tnd else sizes["batch"] * sizes["seq_kv"]
    return Problem(**sizes, tokens_q=tokens_q, tokens_kv=tokens_kv)


@st.composite
def problems(draw):
    """Small problems of both layouts, with lengths from 0 on, and a mask or none."""
    batch, group, heads_kv = draw(st.integers(1, 3)), draw(st.sampled_from([1, 2, 7])), draw(st.integers(1, 2))
    seq_q, seq_kv = draw(st.integers(1, 70)), draw(st.integers(1, 200))
    lengths_q = tuple(draw(st.lists(st.integers(0, seq_q), min_size=batch, max_size=batch)))
    lengths_kv = tuple(draw(st.lists(st.integers(0, seq_kv), min_size=batch, max_size=batch)))
    layout = draw(st.sampled_from(["BNSD", "TND"]))
    if layout == "TND":
        seq_q, seq_kv = max(1, *lengths_q, 1), max(1, *lengths_kv, 1)
    problem = make_problem(
        batch=batch,
        heads_q=group * heads_kv,
        heads_kv=heads_kv,
        seq_q=seq_q,
        seq_kv=seq_kv,
        lengths_q=lengths_q,
        lengths_kv=lengths_kv,
        layout=layout,
        block_shape=draw(st.sampled_from([(16, 16), (16, 48), (32, 16)])),
    )
    density = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    mask = torch.rand(problem.mask_shape, generator=generator) < density
    return problem, draw(st.sampled_from([None, mask]))


def listed(tables):
    """The units of the tables in the form of `naive.work`, padding removed."""
    found = {}
    for row, head, rows, head_kv, first, keys, _chunks in tables.units[: tables.count].tolist():
        picks, left = [], keys
        while left > 0:
            at, there = tables.picks[first + len(picks)].tolist()
            picks.append((at, there))
            left -= there
        found[row, head] = (rows, head_kv, picks, keys)
    return found


@settings(max_examples=150, deadline=None)
@given(problems(), st.sampled_from([DEFAULT, KernelConfig(most_blocks=2), KernelConfig(widest_row=64)]))
def test_units_are_exactly_those_of_the_definition(case, config):
    problem, mask = case
    tables = forward_tables(mask, problem, config)
    assert listed(tables) == naive.work(mask, problem)
    assert tables.count == len(naive.work(mask, problem))


@settings(max_examples=100, deadline=None)
@given(problems())
def test_empty_rows_are_exactly_those_that_no_unit_writes(case):
    problem, mask = case
    written = torch.zeros(problem.batch, problem.heads_q, problem.seq_q, dtype=torch.bool)
    for place in naive.written(mask, problem):
        written[place] = True
    if problem.layout == "TND":
        parts = [written[batch, :, :length].T for batch, length in enumerate(problem.lengths_q)]
        written = torch.cat(parts) if parts else written
    assert torch.equal(forward_tables(mask, problem, DEFAULT).empty, ~written)


@settings(max_examples=100, deadline=None)
@given(problems(), st.sampled_from([DEFAULT, KernelConfig(most_blocks=2)]))
def test_every_unit_is_in_the_narrowest_group_that_holds_it_longest_first(case, config):
    problem, mask = case
    tables = forward_tables(mask, problem, config)
    size = problem.block_shape[1]
    covered = 0
    for group, (begin, number) in enumerate(tables.groups.tolist()):
        assert begin == covered
        covered += number
        blocks = [-(-unit[5] // size) for unit in tables.units[begin : begin + number].tolist()]
        assert blocks == sorted(blocks, reverse=True)
        widths = (0, *tables.widths)
        for unit, count in zip(tables.units[begin : begin + number].tolist(), blocks, strict=True):
            if group < len(tables.widths):
                assert widths[group] < count <= widths[group + 1]
            else:
                assert (count > widths[-1], unit[6]) == (True, -(-count // widths[-1]))
    assert covered == tables.count


@settings(max_examples=100, deadline=None)
@given(problems())
def test_padding_points_to_rows_that_exist(case):
    problem, mask = case
    tables = forward_tables(mask, problem, DEFAULT)
    if tables.count:
        rows = problem.tokens_kv if problem.layout == "TND" else problem.tokens_kv * problem.heads_kv
        assert int(tables.picks[:, 1].min()) >= 1
        assert int((tables.picks[:, 0] + tables.picks[:, 1]).max()) <= rows


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from([DEFAULT, KernelConfig(most_blocks=2)]))
def test_no_table_outgrows_its_addresses_where_the_contract_ends(case, config):
    problem, mask = case
    selected = math.prod(problem.mask_shape) if mask is None else int(mask.sum())
    tables = forward_tables(mask, problem, config)
    assert 7 * MAXIMUM_SELECTED <= MAXIMUM_ELEMENTS
    assert all(part.numel() <= 7 * max(1, selected) for part in (tables.units, tables.picks))


def test_mask_with_strides_gives_the_same_tables():
    problem = make_problem(batch=2, heads_q=4, heads_kv=2, seq_q=64, seq_kv=96)
    mask = torch.rand(problem.mask_shape, generator=torch.Generator().manual_seed(0)) < 0.5
    strided = mask.transpose(1, 3).contiguous().transpose(1, 3)
    assert torch.equal(forward_tables(strided, problem, DEFAULT).units, forward_tables(mask, problem, DEFAULT).units)


def test_full_size_with_billions_of_mask_elements_at_row_resolution():
    """Field case F14: B1 Hq32 S16384, 8 of 32 key blocks per query block; 2^31 mask elements if rows were listed."""
    problem = make_problem(heads_q=32, heads_kv=32, seq_q=16384, seq_kv=16384, block_shape=(256, 512))
    order = torch.rand(problem.mask_shape, generator=torch.Generator().manual_seed(0)).argsort(dim=-1)
    tables = forward_tables(order < 8, problem, DEFAULT)
    assert tables.count == 32 * 64
    rows = tables.units[:, 0]
    assert sorted(rows.tolist()) == list(range(0, 32 * 16384, 256))
    assert int(tables.units[:, 5].unique()) == 8 * 512


@settings(max_examples=30, deadline=None)
@given(problems())
def test_tables_are_contiguous_int32(case):
    """What PyPTO takes: it refuses strides, and trusts dtypes."""
    problem, mask = case
    tables = forward_tables(mask, problem, DEFAULT)
    for part in (tables.units, tables.picks, tables.groups):
        assert part.is_contiguous()
        assert part.dtype == torch.int32


@pytest.mark.parametrize("density", [0.3, 1.0])
def test_preparation_is_small(density):
    """B4 Hq32 Hkv8 S8192, 64 x 64 blocks: two million mask elements in a few times their own size."""
    problem = make_problem(batch=4, heads_q=32, heads_kv=8, seq_q=8192, seq_kv=8192, block_shape=(64, 64))
    mask = torch.rand(problem.mask_shape, generator=torch.Generator().manual_seed(0)) < density
    tracemalloc.start()
    tables = forward_tables(mask, problem, DEFAULT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    picks = tables.picks.numel() * tables.picks.element_size()
    assert peak < 20 * (mask.numel() + picks + tables.empty.numel())
