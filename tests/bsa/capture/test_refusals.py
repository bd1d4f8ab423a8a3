"""``python -m bsa.capture``: what is no call is refused in one line, and nothing is written."""

import io
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from bsa.capture import main

QUERY, KEY = (2, 4, 40, 16), (2, 2, 70, 16)


def call(**changed):
    """Tensors of a call of two batches, but for those that are given."""
    tensors = {"query": torch.ones(QUERY), "key": torch.ones(KEY), "value": torch.ones(KEY)}
    return {**tensors, **changed}


def packed(**changed):
    """The same call in TND."""
    tensors = {"query": torch.ones(80, 4, 16), "key": torch.ones(140, 2, 16), "value": torch.ones(140, 2, 16)}
    return {**tensors, **changed}


@pytest.fixture(params=["npz", "pt"])
def described(request, tmp_path, monkeypatch, capsys):
    """Saves tensors in both kinds of file and describes them: exit code, and what is said of an error."""
    monkeypatch.chdir(tmp_path)

    def describe(tensors, *options):
        file = f"t.{request.param}"
        if isinstance(tensors, bytes):
            (tmp_path / file).write_bytes(tensors)
        elif file.endswith(".npz"):
            np.savez(file, **{name: one.numpy() for name, one in tensors.items()})
        else:
            torch.save(tensors, file)
        code = main([file, "--out", "c.json", *options])
        error = capsys.readouterr().err
        assert (tmp_path / "c.json").exists() == (code == 0)
        assert len(error.splitlines()) == (code != 0)
        return code, error

    return describe


@pytest.mark.parametrize(
    ("tensors", "options"),
    [
        (call(), []),
        (call(), ["--lens-q", "40,0", "--lens-kv", "7,70", "--block", "16,32"]),
        (call(block_sparse_mask=torch.ones(2, 4, 3, 3, dtype=torch.bool)), ["--block", "16,32"]),
        (call(other=torch.tensor(3), lengths=torch.tensor([], dtype=torch.int64)), []),
        (packed(), ["--layout", "TND", "--lens-q", "40,40", "--lens-kv", "139,0"]),
    ],
)
def test_calls(described, tensors, options):
    """What the refusals below begin with is described."""
    assert described(tensors, *options) == (0, "")


TND = ["--layout", "TND"]
REFUSED = [
    (call(), ["--lens-q", "40"], "--lens-q is [40]; legal: 2 entries"),
    (call(), ["--lens-kv", "70,70,70"], "--lens-kv is [70, 70, 70]; legal: 2 entries"),
    (call(), ["--lens-q", "40,41"], "--lens-q[1] is 41; legal: 0 <= length of batch 1 <= 40"),
    (call(), ["--lens-kv", "-1,5"], "--lens-kv[0] is -1; legal: 0 <= length of batch 0 <= 70"),
    (call(), ["--lens-kv=5,-1"], "--lens-kv[1] is -1; legal: 0 <= length"),
    (call(), ["--lens-kv", "5,x"], "--lens-kv: '5,x' is not a list of whole numbers"),
    (call(), ["--lens-kv", ""], "--lens-kv: '' is not a list of whole numbers"),
    (call(), ["--lens-kv", "1_0,5"], "--lens-kv: '1_0,5' is not a list of whole numbers"),
    (call(), ["--block", "0,0"], "--block[0] is 0; legal:"),
    (call(), ["--block", "16,-16"], "--block[1] is -16; legal:"),
    (call(), ["--block", "3"], "--block is [3]; legal: exactly two"),
    (call(), ["--block", "3,4,5"], "--block is [3, 4, 5]; legal: exactly two"),
    (call(), ["--layout", "BSND"], "--layout: invalid choice: 'BSND'"),
    (call(), ["--lnes-q", "3"], "--lnes-q"),
    (packed(), [*TND], "--lens-q is None; legal: the length of each sequence"),
    (packed(), [*TND, "--lens-q", "40,40"], "--lens-kv is None; legal: the length of each sequence"),
    (
        packed(),
        [*TND, "--lens-q", "40,41", "--lens-kv", "70,70"],
        "--lens-q is [40, 41]; legal: a sum of at most T = 80",
    ),
    (packed(), [*TND, "--lens-q", "40,40", "--lens-kv", "70"], "--lens-kv is [70]; legal: 2 entries"),
    (packed(), [], "query is [80, 4, 16]; legal: 4 axes"),
    (call(), [*TND, "--lens-q", "1,1", "--lens-kv", "1,1"], "query is [2, 4, 40, 16]; legal: 3 axes"),
    *(
        (call(**{name: torch.ones(shape)}), [], f"{name} is {list(shape)}; legal: {legal}")
        for name in ("query", "key", "value")
        for shape, legal in (
            ((), "4 axes"),
            ((3, 4, 16), "4 axes"),
            ((1, 1, 1, 1, 1), "4 axes"),
            ((2, 0, 3, 4), "every"),
        )
    ),
    (call(key=torch.ones(1, 2, 70, 16), value=torch.ones(1, 2, 70, 16)), [], "key is 1; legal: batch 2"),
    (call(key=torch.ones(2, 2, 70, 8), value=torch.ones(2, 2, 70, 8)), [], "key is 8; legal: head_dim 16"),
    (call(key=torch.ones(2, 3, 70, 16), value=torch.ones(2, 3, 70, 16)), [], "query is [4, 3]; legal: query heads"),
    (call(value=torch.ones(2, 2, 69, 16)), [], "value is [2, 2, 69, 16]; legal: (2, 2, 70, 16)"),
    *(
        (
            call(**{name: torch.ones(QUERY if name == "query" else KEY, dtype=torch.complex64)}),
            [],
            f"{name} is complex64[2",
        )
        for name in ("query", "key", "value")
    ),
    (call(query=torch.ones(QUERY, dtype=torch.int32)), [], "query is torch.int32; legal: torch.float16"),
    (call(key=torch.ones(KEY, dtype=torch.float64)), [], "key is torch.float64; legal: torch.float32"),
    (call(dout=torch.ones(QUERY, dtype=torch.complex128)), [], "dout is complex128[2, 4, 40, 16]; legal: a strided"),
    (call(block_sparse_mask=torch.ones(2, 4, 3, 3)), ["--block", "16,32"], "block_sparse_mask is torch.float32"),
    (
        call(block_sparse_mask=torch.ones(2, 4, 3, dtype=torch.bool)),
        [],
        "block_sparse_mask is [2, 4, 3]; legal: (2, 4, 1, 1)",
    ),
    ({"query": torch.ones(QUERY), "key": torch.ones(KEY)}, [], "must hold tensors named query, key, value"),
]


@pytest.mark.parametrize(("tensors", "options", "words"), REFUSED, ids=[words for *_, words in REFUSED])
def test_no_call(described, tensors, options, words):
    """Option or tensor, value, what is legal; exit code 2; no file."""
    code, error = described(tensors, *options)
    assert code == 2
    assert words in error


@pytest.mark.parametrize("dtype", ["U3", "datetime64[s]", np.uint16, np.uint64])
def test_arrays_that_are_no_tensors(tmp_path, monkeypatch, capsys, dtype):
    """Dtypes that only numpy has: the array is named."""
    monkeypatch.chdir(tmp_path)
    np.savez("t.npz", **{**call(), "key": np.zeros(KEY, np.int64).astype(dtype)})
    assert main(["t.npz"]) == 2
    error = capsys.readouterr().err
    assert f"t.npz: key is {np.dtype(dtype)}[2, 2, 70, 16]; legal: a strided tensor of float16" in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "capture.json").exists()


@pytest.mark.parametrize("what", ["list", "sparse"])
def test_what_torch_saves_besides(tmp_path, monkeypatch, capsys, what):
    """Sparse tensors, and what is no tensor where one must be."""
    monkeypatch.chdir(tmp_path)
    torch.save(call(value={"list": [1.0], "sparse": torch.ones(KEY).to_sparse()}[what]), "t.pt")
    assert main(["t.pt"]) == 2
    error = capsys.readouterr().err
    assert f"t.pt: value is {what}" in error
    assert len(error.splitlines()) == 1


def written(save):
    """The bytes that a function writes to a file object."""
    file = io.BytesIO()
    save(file)
    return file.getvalue()


UNREADABLE = {
    "empty": b"",
    "words": b"nonsense",
    "pickle": pickle.dumps({"query": Path("x")}),
    "torch objects": written(lambda file: torch.save({"query": Path("x")}, file)),
    "numpy objects": written(lambda file: np.savez(file, query=np.array([{}]))),
    "one array": written(lambda file: np.save(file, np.ones(3))),
    "object array": written(lambda file: np.save(file, np.array([{}]))),
    "cut torch": written(lambda file: torch.save(call(), file))[:900],
    "cut numpy": written(lambda file: np.savez(file, query=np.ones(99)))[:500],
    "one tensor": written(lambda file: torch.save(torch.ones(3), file)),
}


@pytest.mark.parametrize("content", UNREADABLE)
def test_unreadable_files(described, content):
    """The file is named; nobody is advised to load what may not be safe."""
    code, error = described(UNREADABLE[content])
    assert code == 2
    assert "t." in error
    assert not re.search("pickle|weights|trust|unsafe|allow", error, re.IGNORECASE)


@pytest.mark.parametrize("name", ["none.pt", "none.npz", "."])
def test_no_file(tmp_path, monkeypatch, capsys, name):
    """What the system says, with the file's name."""
    monkeypatch.chdir(tmp_path)
    assert main([name]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"bsa.capture: {name}: ")
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("out", "words"), [("t.npz", "--out: t.npz is the file with the tensors"), ("no/c", "no/c: No such")]
)
def test_where_nothing_can_be_written(tmp_path, monkeypatch, capsys, out, words):
    """The tensors are not overwritten, and a folder that is missing is named."""
    monkeypatch.chdir(tmp_path)
    np.savez("t.npz", **call())
    before = (tmp_path / "t.npz").read_bytes()
    assert main(["t.npz", "--out", out]) == 2
    assert words in capsys.readouterr().err
    assert (tmp_path / "t.npz").read_bytes() == before
