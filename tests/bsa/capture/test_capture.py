"""A description of a call holds shapes, lengths, mask and statistics, and none of the data."""

import json

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as stn

from bsa.capture import describe, main, pack_mask, recorded, unpack_mask

SECRET = 0.123456


def tensors():
    """A small call."""
    query = torch.full((1, 2, 8, 16), SECRET)
    query[0, 0, 0, :3] = torch.tensor([torch.nan, torch.inf, 0.0])
    mask = torch.tensor([[[[True, False]], [[True, True]]]])
    return {
        "query": query,
        "key": torch.ones(1, 1, 32, 16),
        "value": torch.ones(1, 1, 32, 16),
        "block_sparse_mask": mask,
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stn.arrays(np.bool_, stn.array_shapes(max_dims=4, min_side=0, max_side=9)))
def test_mask_survives(mask):
    """Packed, written as JSON, read and unpacked, a mask is the same."""
    found = unpack_mask(json.loads(json.dumps(pack_mask(mask))))
    assert found.shape == mask.shape
    assert np.array_equal(found, mask)


@pytest.mark.parametrize("change", [{"shape": None}, {"bits": "!"}, {"shape": [-1, 3]}, {"shape": [99]}])
def test_damaged_mask(change):
    """What is no packed mask is a ValueError."""
    packed = {**pack_mask(np.ones(2, dtype=np.bool_)), **change}
    with pytest.raises(ValueError, match="not a packed mask"):
        unpack_mask(packed)


def test_describe():
    """Shapes, dtypes, strides, statistics over what is finite, counts of what is not."""
    found = describe(tensors(), {"block_shape": (8, 16), "actual_seq_lengths_kv": torch.tensor([20])})
    query = found["tensors"]["query"]
    assert (query["shape"], query["dtype"], query["strides"]) == ([1, 2, 8, 16], "float32", [256, 128, 16, 1])
    assert (query["nan"], query["inf"], query["zeros"]) == (1, 1, 1)
    assert query["max"] == pytest.approx(SECRET)
    assert found["arguments"] == {"block_shape": [8, 16], "actual_seq_lengths_kv": [20]}
    assert unpack_mask(found["mask"]).tolist() == tensors()["block_sparse_mask"].tolist()


def test_size_does_not_grow_with_the_data():
    """Four times the elements, the same amount of text: no data are in it."""
    small, large = (describe({"query": torch.rand(1, 1, n, 16)}, {}) for n in (64, 256))
    assert abs(len(json.dumps(small)) - len(json.dumps(large))) < 40


def test_recorded(tmp_path):
    """Each call of a wrapped function adds a line, and the function does what it did."""

    def double(query, key, value, block_sparse_mask=None, *, scale=None):
        return query * 2

    path = tmp_path / "calls.json"
    wrapped = recorded(double, path)
    given_ = tensors()
    assert torch.equal(wrapped(given_["key"], given_["key"], given_["value"]), given_["key"] * 2)
    wrapped(**given_, scale=0.5)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["mask"] is None for line in lines] == [True, False]
    assert lines[1]["arguments"] == {"scale": 0.5}
    assert wrapped.__name__ == "double"


@pytest.mark.parametrize("suffix", ["npz", "pt"])
def test_command(tmp_path, capsys, suffix):
    """Saved tensors become a description, and what to do with it is said."""
    file, out = tmp_path / f"t.{suffix}", tmp_path / "c.json"
    if suffix == "npz":
        np.savez(file, **{name: one.numpy() for name, one in tensors().items()})
    else:
        torch.save(tensors(), file)
    assert main([str(file), "--out", str(out), "--lens-kv", "20", "--block", "8,16"]) == 0
    data = json.loads(out.read_text())
    assert data["arguments"]["actual_seq_lengths_kv"] == [20]
    assert set(data["tensors"]) == {"query", "key", "value"}
    assert f"--from {out}" in capsys.readouterr().out
