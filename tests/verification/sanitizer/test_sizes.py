"""Offsets at any size, without a tensor: the dense tables that are computed row by row are the real ones."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bsa.blocks import selected_blocks
from bsa.config import DEFAULT
from bsa.contract import check_forward
from bsa.contract.profile import MAXIMUM_ELEMENTS, MAXIMUM_SELECTED
from bsa.errors import ContractError
from bsa.kernels.backward_config import DEFAULT as BACKWARD
from bsa.kernels.backward_tables import key_tables, query_tables
from bsa.tables import forward_tables
from stimuli.case import case
from stimuli.user_cases import DEFAULTS
from tests.verification.sanitizer import sized_launches
from tests.verification.sanitizer.sized_launches import LARGEST, blocks, elements
from verification.duts import _dense
from verification.duts._tables import sizes_of

ROWS = (16, 100, 1000)
BLOCKS = ((16, 16), (64, 128), (256, 512))


def problem(batch, heads, heads_kv, rows, rows_kv, *, block, layout, dim=64):
    one = torch.zeros(1, dtype=torch.float16)
    lengths = (None, None) if layout == "BNSD" else ((rows,) * batch, (rows_kv,) * batch)
    if layout == "BNSD":
        query, key = one.expand(batch, heads, rows, dim), one.expand(batch, heads_kv, rows_kv, dim)
    else:
        query, key = one.expand(batch * rows, heads, dim), one.expand(batch * rows_kv, heads_kv, dim)
    return check_forward(
        query,
        key,
        key,
        None,
        block_shape=block,
        actual_seq_lengths=lengths[0],
        actual_seq_lengths_kv=lengths[1],
        layout=layout,
        scale=None,
        num_key_value_heads=None,
        run_mode="sim",
    )


def rows_of(table):
    return [list(table[index]) for index in range(table.shape[0])]


@pytest.mark.parametrize("layout", ["BNSD", "TND"])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(("heads", "heads_kv"), [(1, 1), (4, 1), (4, 2)])
def test_computed_tables_are_the_real_ones(layout, block, heads, heads_kv):
    for rows in ROWS:
        for rows_kv in ROWS:
            call = problem(2, heads, heads_kv, rows, rows_kv, block=block, layout=layout)
            real, computed = forward_tables(None, call, DEFAULT), _dense.forward_tables(call, DEFAULT)
            for name, table in computed.items():
                assert rows_of(table) == getattr(real, name).tolist(), (name, call)
            selected = selected_blocks(None, call)
            first = query_tables(selected, call, BACKWARD.widest(block[1], 64))
            second = key_tables(selected, call, BACKWARD.widest(block[0], 64))
            tables, shape = _dense.backward_tables(call, BACKWARD)
            found = [rows_of(tables[name]) for name in ("units_q", "chunks_q", "units_kv", "chunks_kv")]
            assert found == [one.tolist() for one in (first.units, first.chunks, second.units, second.chunks)]
            assert rows_of(tables["bounds"]) == [list(first.ends + second.ends)]
            assert (shape.width_q, shape.width_kv) == (first.width, second.width)


@pytest.mark.parametrize("name", ["bsa.forward", "bsa.backward"])
@pytest.mark.parametrize("shape", LARGEST)
def test_largest_calls_of_the_contract_fit(forked, name, shape):
    """A tensor has as many elements as the contract allows, or a mask as many blocks."""
    found = forked(sized_launches.sizes, name, **LARGEST[shape])
    assert found.fits, [one.words() for one in found.findings]
    assert {one.kind for one in found.findings} <= {"offset-bytes"}
    for one in found.extents:
        assert one.element == math.prod(one.shape) - 1, one


def test_largest_calls_are_the_largest():
    """One block or one row of blocks more is refused: of each kind one call is at the edge of the contract."""
    most = max(blocks(shape) for shape in LARGEST.values())
    assert most == MAXIMUM_SELECTED
    full = [shape for shape in LARGEST.values() if elements(shape) * 1.002 > MAXIMUM_ELEMENTS]
    assert {(one["head_dim"], one.get("layout", "BNSD"), one["batch"] > 1) for one in full} == {
        (64, "BNSD", False),
        (64, "BNSD", True),
        (64, "TND", False),
        (256, "BNSD", False),
    }
    assert all(elements(shape) <= MAXIMUM_ELEMENTS for shape in LARGEST.values())


@pytest.mark.parametrize("shape", LARGEST)
@given(data=st.data())
@settings(max_examples=50)
def test_every_entry_of_the_largest_tables_is_in_range(data, shape):
    """The replay sees the first and last iteration; here is any one between: blocks lie in their tensors."""
    call, _ = sizes_of(case("bsa.forward", DEFAULTS["bsa.forward"], name="largest", **LARGEST[shape], mask="dense"))
    queries, keys = rows_and_columns(call, queries=True), rows_and_columns(call, queries=False)

    def row(table):
        return table[data.draw(st.integers(0, table.shape[0] - 1))]

    def lies(sides, place, column, rows):
        assert 0 <= place <= place + rows <= sides[0]
        assert 0 <= column < sides[1]

    forward = _dense.forward_tables(call, DEFAULT)
    place, column, rows, column_kv, first, attended, chunks = row(forward["units"])
    lies(queries, place, column, rows)
    assert 0 <= first < first + 1 <= forward["picks"].shape[0]
    assert 0 < attended <= call.seq_kv
    assert first + chunks <= forward["picks"].shape[0]
    place, rows = row(forward["picks"])
    lies(keys, place, column_kv, rows)
    tables, _ = _dense.backward_tables(call, BACKWARD)
    for side, mine, other in (("q", queries, keys), ("kv", keys, queries)):
        units, chunks = tables[f"units_{side}"], tables[f"chunks_{side}"]
        place, column, rows, _, first, number = row(units)
        lies(mine, place, column, rows)
        assert 0 <= first < first + number <= chunks.shape[0]
        held, *slots = row(chunks)
        for at in range(0, len(slots), 3):
            lies(other, *slots[at : at + 3])
        assert 0 < held <= len(slots) // 3 * LARGEST[shape]["block_shape"][side == "q"]


def rows_and_columns(call, *, queries):
    """Rows of a side's tensors as the kernel sees them, and the columns of heads."""
    tokens, heads = (call.tokens_q, call.heads_q) if queries else (call.tokens_kv, call.heads_kv)
    return (tokens, heads) if call.layout == "TND" else (tokens * heads, 1)


def test_a_larger_mask_is_refused(forked):
    with pytest.raises(ContractError, match="selected-blocks"):
        forked(sized_launches.sizes, "bsa.forward", **{**LARGEST["largest mask"], "seq_q": 2**22 + 512})


def test_twice_the_largest_call_is_refused(forked):
    found = forked(sized_launches.sizes, "bsa.forward", factor=2, **LARGEST["heads"])
    assert not found.fits
    assert "offset-elements" in {one.kind for one in found.findings}
