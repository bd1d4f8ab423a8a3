"""What a case is given: tensors from a file with its sha256, a mask packed into the case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stimuli.attention import make_forward
from stimuli.errors import StimulusError
from stimuli.files import kind_of, moved, sha256_of
from stimuli.masks import given

SHAPE: dict[str, Any] = {"batch": 2, "heads_q": 2, "heads_kv": 2, "seq_q": 32, "seq_kv": 32, "head_dim": 16}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An .npz with the three tensors; every element is another number."""
    numbers = np.arange(2 * 2 * 32 * 16, dtype=np.float32).reshape(2, 2, 32, 16) / 2048
    np.savez(tmp_path / "t.npz", query=numbers, key=-numbers, value=2 * numbers)
    return tmp_path / "t.npz"


def values(kind: str) -> dict[str, str]:
    """The same kind for all three tensors."""
    return dict.fromkeys(("query", "key", "value"), kind)


def test_whole_and_slice(file: Path) -> None:
    """The whole is the file's arrays; a slice is the part that begins where it says."""
    kind = kind_of(file, sha256_of(file))
    whole = make_forward({**SHAPE, "values": values(kind)}, 0).tensors
    assert float(whole["key"][1, 0, 3, 5]) == -float(whole["query"][1, 0, 3, 5]) != 0.0
    small = {"batch": 1, "heads_q": 1, "heads_kv": 1, "seq_q": 16, "seq_kv": 16, "head_dim": 16}
    part = make_forward({**small, "values": values(moved(kind, (1, 1, 16)))}, 0).tensors
    assert part["value"].equal(whole["value"][1:, 1:, 16:])


def test_other_kinds_do_not_move() -> None:
    """Drawn values have no place in a file."""
    assert moved("normal:2", (1, 1, 1)) == "normal:2"


@pytest.mark.parametrize("change", ["bytes", "gone", "size", "spec", "array"])
def test_what_does_not_fit_is_refused(file: Path, change: str) -> None:
    """Another content, no file, too few elements, no place, no such array: an error that names the tensor."""
    kind, params = kind_of(file, sha256_of(file)), dict(SHAPE)
    if change == "bytes":
        np.savez(file, query=np.zeros(1))
        sha256_of.cache_clear()
    elif change == "gone":
        kind = kind_of(file.with_name("none.npz"), "0")
    elif change == "size":
        params["seq_q"] = 33
    elif change == "spec":
        kind = "file:abc"
    else:
        np.savez(file, key=np.zeros(1))
        sha256_of.cache_clear()
        kind = kind_of(file, sha256_of(file))
    with pytest.raises(StimulusError) as error:
        make_forward({**params, "values": values(kind)}, 0)
    assert error.value.argument == "query"


def test_given_mask() -> None:
    """A mask packed into the case is the mask of its stimulus; another shape is refused."""
    mask = np.array([[[[True, False], [False, True]]]])
    params = {"seq_q": 32, "seq_kv": 32, "head_dim": 16, "block_shape": [16, 16], "mask": given.spec(mask)}
    assert make_forward(params, 0).tensors["block_sparse_mask"].numpy().tolist() == mask.tolist()
    with pytest.raises(StimulusError, match="mask given"):
        make_forward({**params, "seq_kv": 48}, 0)
    with pytest.raises(StimulusError, match="mask given"):
        make_forward({**params, "mask": {"family": "given", "shape": [1], "bits": "?"}}, 0)
