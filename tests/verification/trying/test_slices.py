"""Slices of a large call: they fit, they are spread, and together with what they leave out they are the whole."""

import importlib

import numpy as np
import pytest
import torch

from stimuli.attention import make_forward
from stimuli.canonical import reduce_params
from stimuli.case import Case
from stimuli.files import kind_of, sha256_of
from stimuli.maker import Maker
from stimuli.parameters import FORWARD, FORWARD_DEFAULTS, complete
from verification.duts._capacity import forward_capacity
from verification.duts._tables import check_backward_tables, check_forward_tables
from verification.trying import slices, total

SHAPE = {
    "batch": 3,
    "heads_q": 4,
    "heads_kv": 2,
    "seq_q": 100,
    "seq_kv": 140,
    "head_dim": 64,
    "block_shape": [32, 32],
    "lengths_q": [100, 33, 0],
    "lengths_kv": [140, 70, 140],
    "density": 0.5,
}


def sliced(params, *, count=99, fits=lambda case: True):
    """The slices of a forward case."""
    case = Case(dut="bsa.forward", params=reduce_params(params, FORWARD_DEFAULTS), name="whole")
    reduced, full = complete(case.params, FORWARD)
    maker = Maker(reduced, full, 0)
    lengths = (maker.lengths_q, maker.lengths_kv)
    made = slices(case, full, maker.mask, lengths, defaults=FORWARD_DEFAULTS, count=count, fits=fits)
    return case, maker, list(made)


def test_total_counts_blocks_with_a_row():
    """Query blocks of all batches and heads; a batch without a row has none."""
    assert total({**FORWARD_DEFAULTS, **SHAPE}, SHAPE["lengths_q"]) == 4 * (4 + 2 + 0)


@pytest.mark.parametrize("values", ["uniform", "exact"])
def test_no_two_slices_of_a_dense_call_are_one_case(values):
    """Heads of a dense call have the same parameters: they differ in their seed, and so in their numbers."""
    dense = {name: value for name, value in SHAPE.items() if not name.startswith(("lengths", "density"))}
    _, _, found = sliced({**dense, "mask": "dense", "values": values, "seq_q": 64, "scale": 1.0})
    assert len({one.case.id for one in found}) == len(found) > 6
    drawn = [make_forward(one.case.params, one.case.seed).tensors["value"] for one in found]
    assert not any(torch.equal(drawn[0], other) for other in drawn[1:])


def test_every_slice_is_a_case_of_its_own():
    """One batch, one head, one query block; its rows and mask are those of the whole."""
    _, maker, found = sliced(SHAPE)
    assert len({(one.batch, one.head, one.block) for one in found}) == len(found) > 6
    for one in found:
        full = {**FORWARD_DEFAULTS, **one.case.params}
        assert (full["batch"], full["heads_q"], full["heads_kv"]) == (1, 1, 1)
        assert full["seq_q"] == min(32, SHAPE["lengths_q"][one.batch] - 32 * one.block)
        stimulus = make_forward(one.case.params, 0)
        blocks = -(-SHAPE["lengths_kv"][one.batch] // 32)
        wanted = maker.mask[one.batch, one.head, one.block, :blocks]
        assert stimulus.tensors["block_sparse_mask"].numpy()[0, 0, 0].tolist() == wanted.tolist()
        assert not one.cut


def test_corners_come_first():
    """The first slices are of the first and the last query block, and of every batch that has rows."""
    _, _, found = sliced({**SHAPE, "density": 1.0}, count=4)
    assert len(found) == 4
    assert {one.batch for one in found} == {0, 1}
    assert {one.block for one in found if one.batch == 0} == {0, 3}


def test_what_does_not_fit_is_cut():
    """A slice that is too large has fewer keys and says so; one that cannot fit is left out."""
    _, _, found = sliced({**SHAPE, "density": 1.0}, fits=lambda case: case.params["seq_kv"] <= 64)
    assert found
    assert all(one.cut and one.case.params["seq_kv"] in (32, 64) for one in found)
    assert sliced(SHAPE, fits=lambda case: False)[2] == []


def test_values_from_a_file_stay_in_place(tmp_path):
    """The query rows of a slice are those of the whole."""
    shape_q, shape_kv = (3, 4, 100, 64), (3, 2, 140, 64)
    generator = np.random.default_rng(0)
    arrays = {
        "query": generator.random(shape_q),
        "key": generator.random(shape_kv),
        "value": generator.random(shape_kv),
    }
    np.savez(tmp_path / "t.npz", **arrays)
    kind = kind_of(tmp_path / "t.npz", sha256_of(tmp_path / "t.npz"))
    _, _, found = sliced({**SHAPE, "values": dict.fromkeys(arrays, kind)}, count=5)
    for one in found:
        tensors = make_forward(one.case.params, 0).tensors
        rows = tensors["query"].shape[2]
        begin = 32 * one.block
        wanted = torch.from_numpy(arrays["query"][one.batch, one.head, begin : begin + rows]).half()
        assert torch.equal(tensors["query"][0, 0], wanted)
        wanted = torch.from_numpy(arrays["key"][one.batch, one.head // 2, : tensors["key"].shape[2]]).half()
        assert torch.equal(tensors["key"][0, 0], wanted)


def test_customers_shape_fits_in_slices():
    """The shape that needs terabytes as a whole needs little in slices."""
    shape = {**SHAPE, "heads_q": 40, "heads_kv": 8, "seq_q": 7313, "seq_kv": 7313, "head_dim": 128, "density": 1.0}
    shape |= {"block_shape": [256, 512], "lengths_q": [7313, 5120, 17], "lengths_kv": [7313, 5120, 17]}
    case, _, found = sliced(shape, count=6)
    assert forward_capacity(case, "sim").bytes > 1 << 40
    assert len(found) == 6
    assert max(forward_capacity(one.case, "sim").bytes for one in found) < 4 << 30
    assert check_forward_tables(case) == ""


@pytest.mark.parametrize(
    ("module", "check", "columns"),
    [("bsa.tables", check_forward_tables, 2), ("bsa.kernels.backward_tables", check_backward_tables, 6)],
)
@pytest.mark.parametrize("layout", ["BNSD", "TND"])
def test_tables_are_recounted(monkeypatch, module, check, columns, layout):
    """One row that is off by a block is found, and its place is named."""
    case = Case(dut="bsa.forward", params=reduce_params({**SHAPE, "layout": layout}, FORWARD_DEFAULTS))
    assert check(case) == ""
    right = importlib.import_module(module).table

    def wrong(values):
        made = right(values)
        if made.shape[1] == columns and len(made) > 3:
            made[3, 0] += 32
        return made

    monkeypatch.setattr(f"{module}.table", wrong)
    assert "block (" in check(case)
