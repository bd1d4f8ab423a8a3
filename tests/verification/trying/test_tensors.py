"""``bsa-verify try --tensors``: arrays that no call can have are refused, in a line that names file and array."""

from pathlib import Path

import numpy as np
import pytest

from stimuli.attention import make_forward
from verification.cli.main import main
from verification.errors import UsageError
from verification.trying import Request, params_of

QUERY, KEY = (2, 4, 40, 64), (2, 2, 70, 64)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(**changed):
    """Writes t.npz: arrays that fit, but for those that are given."""
    arrays = {"query": np.ones(QUERY, np.float16), "key": np.ones(KEY, np.float32), "value": np.ones(KEY, np.float64)}
    np.savez("t.npz", **{**arrays, **changed})


def tried(*options):
    """Exit code of a dry run."""
    return main(["try", "bsa.forward", "--tensors", "t.npz", *options, "--dry-run", "--memory", "6G"])


def shaped(*shape, dtype=np.float16):
    """An array of ones."""
    return np.ones(shape, dtype)


@pytest.mark.parametrize("options", [[], ["--q", "2,4,40,64"], ["--kv", "2,70"], ["--dtype", "bfloat16"]])
def test_arrays_that_fit(capsys, options):
    """Any floating dtype; a shape that is the file's own may be said again."""
    saved()
    assert tried(*options) == 0
    assert "right" in capsys.readouterr().out


WRONG = {
    "query is float16[4, 40, 64]; give [B,N,S,D]": {"query": shaped(4, 40, 64)},
    "query is float16[]; give [B,N,S,D]": {"query": shaped()},
    "query is float16[2, 4, 0, 64]; give [B,N,S,D], each 1 or more": {"query": shaped(2, 4, 0, 64)},
    "key is float16[2, 70, 64]; give [B,N,S,D]": {"key": shaped(2, 70, 64)},
    "value is float16[1, 2, 2, 70, 64]; give [B,N,S,D]": {"value": shaped(1, 2, 2, 70, 64)},
    "key is float16[1, 2, 70, 64]; give [2,N,S,64]": {"key": shaped(1, 2, 70, 64)},
    "key is float16[2, 2, 70, 128]; give [2,N,S,64]": {"key": shaped(2, 2, 70, 128)},
    "key is float16[2, 3, 70, 64]; give [2,N,S,64] as query has them, N a divisor of its 4": {
        "key": shaped(2, 3, 70, 64)
    },
    "value is float16[2, 2, 69, 64]; give [2, 2, 70, 64]": {"value": shaped(2, 2, 69, 64)},
    "value is float16[2, 4, 70, 64]; give [2, 2, 70, 64]": {"value": shaped(2, 4, 70, 64)},
    **{
        f"{name} is {np.dtype(dtype)}{list(QUERY)}; give a dtype of float16, float32, float64": {
            name: shaped(*QUERY).astype(dtype)
        }
        for name in ("query", "key", "value")
        for dtype in (np.complex64, np.int32, np.uint8, np.bool_, "U3", "V2")
    },
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_arrays(capsys, words):
    """Shapes against each other, number of axes, dtypes: array, what it is, what is legal; exit code 2."""
    saved(**WRONG[words])
    assert tried() == 2
    error = capsys.readouterr().err
    assert f"--tensors: t.npz: {words}" in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--q", "2,4,39,64", "--q: '2,4,39,64' disagrees with --tensors t.npz, where query is [2, 4, 40, 64]"),
        ("--q", "4,40,64", "give 2,4,40,64, or leave --q out"),
        ("--kv", "4,70", "--kv: '4,70' disagrees with --tensors t.npz, where key is [2, 2, 70, 64]; give 2,70"),
        ("--kv", "2,71", "--kv: '2,71' disagrees"),
    ],
)
def test_a_shape_that_says_otherwise(capsys, option, value, words):
    """--q and --kv are refused where the file has another shape."""
    saved()
    assert tried(option, value) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        ("float16", np.nan),
        ("float16", np.inf),
        ("float16", -65520.0),
        ("float16", 1e300),
        ("bfloat16", -np.inf),
        ("bfloat16", 3.4e38),
    ],
)
def test_numbers_without_a_right_answer(capsys, name, dtype, number):
    """NaN, Inf and what becomes Inf in the call's dtype are refused with their place, and not beyond the lengths."""
    array = np.zeros(QUERY if name == "query" else KEY)
    array[1, 1, 33, 5] = number
    saved(**{name: array})
    assert tried("--dtype", dtype) == 2
    error = capsys.readouterr().err
    assert f"t.npz: {name}[1, 1, 33, 5] is {number}" in error
    assert len(error.splitlines()) == 1
    side = "--lens-q" if name == "query" else "--lens-kv"
    assert tried("--dtype", dtype, side, "40,33") == 0


@pytest.mark.parametrize(("dtype", "number"), [("float16", 65519.0), ("bfloat16", 3.39e38)])
def test_the_largest_numbers(dtype, number):
    """What the dtype holds is taken: no tensor of the case has an Inf."""
    saved(query=np.full(QUERY, number))
    request = Request(tensors=Path("t.npz"), dtype=dtype)
    assert make_forward(params_of(request), 0).tensors["query"].isfinite().all()


def test_numbers_of_a_large_file_are_named_by_place():
    """The first that is wrong, in the order of the file."""
    array = np.zeros(QUERY)
    array[0, 3, 39, 63] = array[1, 0, 0, 0] = np.nan
    saved(query=array)
    with pytest.raises(UsageError, match=r"query\[0, 3, 39, 63\] is nan"):
        params_of(Request(tensors=Path("t.npz")))
