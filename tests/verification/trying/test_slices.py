"""Slices of a large call: they fit, they are spread, and together with what they leave out they are the whole."""

import importlib
import itertools

import numpy as np
import pytest
import torch

from stimuli.attention import make_forward
from stimuli.canonical import reduce_params
from stimuli.case import Case
from stimuli.files import kind_of, sha256_of
from stimuli.maker import Maker
from stimuli.masks.given import spec
from stimuli.parameters import FORWARD, FORWARD_DEFAULTS, complete
from verification.duts._capacity import forward_capacity
from verification.duts._tables import check_backward_tables, check_forward_tables
from verification.trying import Places, slices

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
    places = Places.of(full, maker.mask, *lengths).spread()
    made = slices(case, full, maker.mask, places, lengths=lengths, defaults=FORWARD_DEFAULTS, count=count, fits=fits)
    return case, maker, list(made)


def given_mask(*selected):
    """SHAPE with a mask that selects these (batch, head, query block, KV block)."""
    mask = np.zeros((3, 4, 4, 5), dtype=np.bool_)
    for place in selected:
        mask[place] = True
    return {**SHAPE, "density": 1.0, "mask": spec(mask)}


def places_of(params):
    """The places of a forward case."""
    reduced, full = complete(reduce_params(params, FORWARD_DEFAULTS), FORWARD)
    maker = Maker(reduced, full, 0)
    return Places.of(full, maker.mask, maker.lengths_q, maker.lengths_kv)


def test_places_have_a_row_and_a_selected_key():
    """Query blocks without a row are no places; what is selected beyond the actual keys counts for nothing."""
    found = places_of(given_mask((0, 3, 3, 4), (1, 0, 1, 2), (1, 0, 0, 3), (1, 2, 2, 0), (2, 0, 0, 0)))
    assert found.total == 4 * (4 + 2 + 0)
    assert found.selecting == 2
    assert list(found.spread()) == [(0, 3, 3), (1, 0, 1)]


@pytest.mark.parametrize("layout", ["BNSD", "TND"])
@pytest.mark.parametrize("mask", ["none", "dense", "random", "diagonal", "band", "column", "block_causal"])
def test_as_many_slices_as_were_asked_for(mask, layout):
    """All places where something is selected if so many are wanted, each once, and the same every time."""
    params = {**SHAPE, "mask": mask, "layout": layout, "density": 0.4 if mask == "random" else 1.0}
    found = places_of(params)
    every = list(found.spread())
    assert len(set(every)) == len(every) == found.selecting > 0
    assert every == list(places_of(params).spread())
    for count in (1, 5, found.selecting - 1, found.selecting, 99):
        _, _, made = sliced(params, count=count)
        assert [(one.batch, one.head, one.block) for one in made] == every[:count]
        assert len({one.case.id for one in made}) == len(made)


@pytest.mark.parametrize("place", [(b, h, i) for b, rows in ((0, 4), (1, 2)) for h in range(4) for i in range(rows)])
def test_the_one_place_that_is_selected(place):
    """Wherever a mask selects its only block, the slice is there."""
    _, _, made = sliced(given_mask((*place, 1)), count=6)
    assert [(one.batch, one.head, one.block) for one in made] == [place]


def test_a_mask_that_selects_nothing():
    """Slices are of any place then: rows that select nothing have an answer, too."""
    found = places_of(given_mask())
    assert (found.selecting, found.total) == (0, 24)
    _, _, made = sliced(given_mask(), count=6)
    assert len(made) == 6
    assert not any(make_forward(one.case.params, 0).tensors["block_sparse_mask"].any() for one in made)


@pytest.mark.parametrize("count", range(1, 60))
def test_places_are_spread(count):
    """Of many places the first ones come from everywhere: from every quarter of the heads and of the blocks."""
    lone = {"lengths_q": None, "lengths_kv": None, "density": 1.0, "mask": "none", "batch": 1}
    found = places_of({**SHAPE, **lone, "heads_q": 40, "heads_kv": 40, "seq_q": 32 * (10 + count)})
    first = list(itertools.islice(found.spread(), 40))
    assert first[:2] == [(0, 0, 0), (0, 39, 9 + count)]
    assert (
        {4 * head // 40 for _, head, _ in first} == {4 * block // (10 + count) for _, _, block in first} == {0, 1, 2, 3}
    )


def test_sizes_that_do_not_fit_are_asked_about_once():
    """Nothing fits: as many questions as there are sizes, not as there are places."""
    asked = []
    params = {**SHAPE, "heads_q": 64, "density": 1.0, "mask": "dense"}
    assert sliced(params, fits=lambda case: asked.append(case.id))[2] == []
    assert 0 < len(asked) < 40


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
