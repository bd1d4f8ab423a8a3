"""``bsa-verify try --from``: a description that is not one is refused in a line that names the field."""

import copy
import json
from functools import cache

import pytest
import torch

from bsa.capture import describe
from verification.cli.main import main
from verification.errors import UsageError
from verification.trying import params_of_capture

LAYOUTS = ("BNSD", "TND")


def description(layout="BNSD"):
    """What a call of two batches looked like."""
    return copy.deepcopy(_described(layout))


@cache
def _described(layout):
    query, key = torch.randn(2, 4, 40, 64), torch.randn(2, 2, 70, 64)
    if layout == "TND":
        query, key = query.transpose(1, 2).reshape(80, 4, 64), key.transpose(1, 2).reshape(140, 2, 64)
    tensors = {"query": query.half(), "key": key.half(), "value": key.half(), "dout": query.half()}
    tensors["block_sparse_mask"] = torch.ones(2, 4, 3, 3, dtype=torch.bool)
    arguments = {
        "block_shape": (16, 32),
        "actual_seq_lengths": [40, 7],
        "actual_seq_lengths_kv": [70, 0],
        "layout": layout,
        "scale": 0.1,
        "run_mode": "sim",
    }
    return json.loads(json.dumps(describe(tensors, arguments)))


def fields(data, place=()):
    """Where every value of a description is."""
    for name, value in data.items():
        yield (*place, name)
        if isinstance(value, dict):
            yield from fields(value, (*place, name))


def changed(place, value, layout="BNSD"):
    """A description with one value replaced, or left out (None of Ellipsis)."""
    data = description(layout)
    owner = data
    for name in place[:-1]:
        owner = owner[name]
    if value is ...:
        del owner[place[-1]]
    else:
        owner[place[-1]] = value
    return data


@pytest.fixture
def refused(tmp_path):
    """Checks that a file is refused in one line with these words."""

    def check(content, *words):
        file = tmp_path / "c.json"
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        with pytest.raises(UsageError) as raised:
            params_of_capture(file)
        error = str(raised.value)
        assert len(error.splitlines()) == 1
        assert "Error" not in error
        for word in ("--from", "c.json", *words):
            assert word in error

    return check


FIELDS = sorted(fields(description()))
FREE = {"run_mode", "arguments"}
"""What is not read: other arguments of the function that was recorded, and the names of other tensors."""
OPTIONAL = {"block_shape", "actual_seq_lengths", "actual_seq_lengths_kv", "layout", "scale", "run_mode", "dout"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_description_itself(tmp_path, layout, capsys):
    """What the errors below begin with is accepted."""
    (tmp_path / "c.json").write_text(json.dumps(description(layout)))
    assert main(["try", "bsa.forward", "--from", str(tmp_path / "c.json"), "--dry-run", "--memory", "6G"]) == 0
    assert "right" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [True, "x", {"a": 1}, [None], [[1]], [1.5, "x"], -1.5])
@pytest.mark.parametrize("place", [one for one in FIELDS if one[-1] not in FREE], ids=".".join)
def test_wrong_types(refused, place, wrong):
    """Each field with a value of each kind that it cannot have."""
    if isinstance(wrong, str) and place[-1] == "dtype" and "dout" in place:
        wrong = 7  # another tensor's dtype may be any word
    if wrong == -1.5 and place[-1] in ("mean", "min", "max", "scale"):
        wrong = "nan"
    refused(changed(place, wrong), ".".join(place[:2]))


@pytest.mark.parametrize("content", [changed(("mask",), 7), changed(("mask",), ...), {**description(), "more": 1}, 7])
def test_the_command(tmp_path, capsys, content):
    """One line, exit code 2, nothing else said."""
    (tmp_path / "c.json").write_text(json.dumps(content))
    assert main(["try", "bsa.forward", "--from", str(tmp_path / "c.json"), "--dry-run"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "--from" in printed.err
    assert len(printed.err.splitlines()) == 1


@pytest.mark.parametrize("place", [one for one in FIELDS if one[-1] not in OPTIONAL], ids=".".join)
def test_missing_fields(refused, place):
    """Each field that has to be there."""
    refused(changed(place, ...), f"{'.'.join(place)} is missing")


@pytest.mark.parametrize("name", ["actual_seq_lengths", "actual_seq_lengths_kv"])
def test_packed_sequences_need_lengths(refused, name):
    """TND without lengths says nothing of its batches."""
    refused(changed(("arguments", name), ..., "TND"), f"arguments.{name} is missing")
    refused(changed(("arguments", name), None, "TND"), f"arguments.{name} is null")


@pytest.mark.parametrize("place", [(), ("mask",), ("tensors", "query"), ("tensors", "dout")], ids=".".join)
def test_extra_fields(refused, place):
    """A field that nobody reads, whatever its name."""
    for name, shown in (("more", "more"), ("a\nb", r"a\nb"), ("", "")):
        refused(changed((*place, name), 1), f"{'.'.join((*place, shown))} is unknown")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("schema",), -1),
        (("schema",), 2),
        (("tensors", "query", "std"), -0.1),
        (("tensors", "query", "mean"), float("nan")),
        (("tensors", "key", "max"), float("inf")),
        (("tensors", "query", "nan"), -1),
        (("tensors", "dout", "zeros"), -1),
        (("tensors", "query", "strides"), [-1, 1, 1, 1]),
        (("tensors", "query", "shape"), [-2, 4, 40, 64]),
        (("tensors", "query", "shape"), [2, 0, 40, 64]),
        (("tensors", "query", "shape"), []),
        (("tensors", "key", "shape"), [2, 3, 70, 64]),
        (("tensors", "value", "dtype"), "bfloat16"),
        (("tensors", "query", "dtype"), "complex64"),
        (("mask", "shape"), [2, 4, -3, 3]),
        (("mask", "shape"), [2, 4, 3]),
        (("mask", "bits"), "!"),
        (("arguments", "block_shape"), [-16, 32]),
        (("arguments", "block_shape"), [0, 0]),
        (("arguments", "block_shape"), [16]),
        (("arguments", "actual_seq_lengths"), [-1, 7]),
        (("arguments", "actual_seq_lengths"), [900, 7]),
        (("arguments", "actual_seq_lengths"), [1, 2, 3]),
        (("arguments", "actual_seq_lengths_kv"), [-1, 7]),
        (("arguments", "actual_seq_lengths_kv"), [7]),
        (("arguments", "actual_seq_lengths_kv"), []),
        (("arguments", "layout"), "BSND"),
        (("arguments", "scale"), float("inf")),
        (("arguments", "scale"), 10**400),
    ],
)
def test_numbers_out_of_range(refused, place, value, layout):
    """Negative, too large, too few or too many."""
    refused(changed(place, value, layout), "give ")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"{", b"[" * 100_000, b"\xff\xfe", b"null", b"1", b"[]", b'"x"', b"{}", b"[{}]", b"9" * 5000],
    ids=repr,
)
def test_no_description_at_all(refused, content):
    """Anything that is not one JSON object, or no JSON."""
    refused(content)
