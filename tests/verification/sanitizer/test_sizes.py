"""Offsets at any size, without a tensor: the dense tables that are computed row by row are the real ones."""

import pytest
import torch

from bsa.blocks import selected_blocks
from bsa.config import DEFAULT
from bsa.contract import check_forward
from bsa.contract.profile import MAXIMUM_SELECTED
from bsa.errors import ContractError
from bsa.kernels.backward_config import DEFAULT as BACKWARD
from bsa.kernels.backward_tables import key_tables, query_tables
from bsa.tables import forward_tables
from tests.verification.sanitizer import sized_launches
from verification.duts import _dense

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


@pytest.mark.parametrize("name", ["bsa.forward", pytest.param("bsa.backward", marks=pytest.mark.nightly)])
def test_largest_tensors_of_the_contract_fit(forked, name):
    """One tensor has 2^31 - 1 elements at most; queries and keys here have as many."""
    found = forked(sized_launches.sizes, name)
    assert found.fits, [one.words() for one in found.findings]
    extents = {one.name: one.element for one in found.extents}
    assert extents["query"] == extents["key"] == sized_launches.ELEMENTS - 1
    assert {one.kind for one in found.findings} == {"offset-bytes"}


@pytest.mark.parametrize("name", ["bsa.forward", pytest.param("bsa.backward", marks=pytest.mark.nightly)])
def test_tables_of_the_largest_mask_fit(forked, name):
    """As many blocks are selected as the contract allows."""
    found = forked(sized_launches.sizes, name, heads=1, rows=2**22)
    assert MAXIMUM_SELECTED == 2**22 // 512 * (2**22 // 1024)
    assert found.fits, [one.words() for one in found.findings]


def test_a_larger_mask_is_refused(forked):
    with pytest.raises(ContractError, match="selected-blocks"):
        forked(sized_launches.sizes, "bsa.forward", heads=1, rows=2**22 + 1024)


def test_twice_the_largest_call_is_refused(forked):
    found = forked(sized_launches.sizes, "bsa.forward", factor=2)
    assert not found.fits
    assert "offset-elements" in {one.kind for one in found.findings}
