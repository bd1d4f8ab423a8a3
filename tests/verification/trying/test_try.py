"""``bsa-verify try``: what it says before it runs anything."""

import json
import re

import numpy as np
import pytest
import torch

from bsa.capture import describe
from verification.cli.main import command_module, main
from verification.cli.parser import Parser

SHAPE = ["--q", "3,40,7313,128", "--kv", "8,7313"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tried(*options):
    """Exit code of a dry run."""
    return main(["try", "bsa.forward", *options, "--dry-run", "--memory", "6G"])


def test_a_shape_that_does_not_fit(capsys):
    """The estimate, the tables and the slices, in this order; exit code 0."""
    assert tried(*SHAPE, "--lens", "7313,5120,17", "--values", "normal:2.3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "does not fit" in lines[0]
    assert "right" in lines[1]
    assert "6 of 2000" in lines[2]


def test_mask_of_a_file(here, capsys):
    """A mask from a .npy file decides what the slices select."""
    mask = np.zeros((3, 40, 29, 15), dtype=np.bool_)
    mask[1, 7, 13, 5] = True
    np.save(here / "m.npy", mask)
    assert tried(*SHAPE, "--mask", "m.npy") == 0
    assert "slices: 1 of 1 places" in (printed := capsys.readouterr().out)
    assert "of 3480 places in all" in printed


def test_mask_that_selects_nothing(here, capsys):
    """It is said, and slices are run all the same."""
    np.save(here / "m.npy", np.zeros((3, 40, 29, 15), dtype=np.bool_))
    assert tried(*SHAPE, "--mask", "m.npy") == 0
    assert "6 of 3480 places (batch, head, query block); the mask selects nothing" in capsys.readouterr().out


@pytest.mark.parametrize(("slices", "count"), [("1", 1), ("36", 36), ("99", 36)])
def test_as_many_slices_as_asked(capsys, slices, count):
    """Up to all there are."""
    assert tried("--q", "2,6,48,64", "--block", "16,16", "--slices", slices) == 0
    assert f"slices: {count} of 36 places" in capsys.readouterr().out


def test_capture_of_a_call(here, capsys):
    """A description of a call becomes a case like it: shape, lengths, mask, dtype."""
    tensors = {
        "query": torch.randn(2, 4, 300, 128).bfloat16(),
        "key": torch.randn(2, 2, 600, 128).bfloat16(),
        "value": torch.randn(2, 2, 600, 128).bfloat16(),
        "block_sparse_mask": torch.ones(2, 4, 2, 2, dtype=torch.bool),
    }
    arguments = {"block_shape": (256, 512), "actual_seq_lengths": [300, 20], "layout": "BNSD", "scale": 0.1}
    (here / "c.json").write_text(json.dumps(describe(tensors, arguments)))
    assert tried("--from", "c.json") == 0
    printed = capsys.readouterr().out
    assert "whole" in printed
    assert f"6 of {4 * (2 + 1)} places" in printed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--q is missing"),
        (["--q", "3,40,7313"], "B,N,S,D"),
        (["--q", "3,40,7313,x"], "whole numbers"),
        (["--q", "-3,40,7313,128"], "--q: '-3,40,7313,128' is not B,N,S,D, whole numbers of 1 or more"),
        (["--q=3,40,-7313,128"], "--q: '3,40,-7313,128' is not B,N,S,D, whole numbers of 1 or more"),
        (["--q", "-x"], "--q"),
        (["--q", "3,40,7313,128", "--kv", "-8,7313"], "--kv: '-8,7313' is not N,S, whole numbers of 1 or more"),
        ([*SHAPE, "--block", "-16,16"], "--block: '-16,16' is not X,Y, whole numbers of 1 or more"),
        ([*SHAPE, "--lens", "-1,2,3"], "--lens: -1 of batch 0 is outside 0 to 7313"),
        ([*SHAPE, "--lens-q", "-1,2,3"], "--lens-q: -1 of batch 0 is outside 0 to 7313"),
        ([*SHAPE, "--scale", "-inf"], "--scale: '-inf' is not a finite number"),
        ([*SHAPE, "--density", "-1e-1"], "--density: '-1e-1' is not a number above 0"),
        ([*SHAPE, "--slices", "-1,2"], "--slices: '-1,2' is not a whole number of 1 or more"),
        (["--q", "99999999999,4,64,128"], "99999999999 batches; give 1 to 1048576"),
        ([*SHAPE, "--kv", "7,7313"], "7 key heads do not divide 40"),
        ([*SHAPE, "--lens", "1,2"], "--lens: 2 lengths for 3 batches"),
        ([*SHAPE, "--lens", "1,2,7314"], "--lens: 7314 of batch 2 is outside 0 to 7313"),
        ([*SHAPE, "--lens-kv", "1,2,7314"], "--lens-kv: 7314 of batch 2"),
        (["--q", "1,1,64,100"], "head_dim 64 or 128 or 256"),
        (["--q", "1,1,64,128", "--block", "10,16"], "multiple of 16"),
        ([*SHAPE, "--mask", "none.npy"], "none.npy"),
        ([*SHAPE, "--mask", "bnad"], "band"),
        ([*SHAPE, "--values", "narmol"], "normal"),
        (["--from", "none.json"], "none.json"),
        (["--tensors", "none.npz"], "none.npz"),
        ([*SHAPE, "--timeout", "0.5"], "--timeout"),
        ([*SHAPE, "--scale", "nan"], "--scale: 'nan' is not a finite number"),
        (["--q", "1,1,2147483648,128"], "give at most 67108864"),
        (["--q", "1,99999999999,64,128"], "give at most 67108864"),
        (["--q", "1,99999999999999999999,64,128"], "99999999999999999999 cannot be used: give an integer from 1 to"),
        (["--q", "1,4,64,128", "--kv", "1,99999999999999"], "give at most 67108864"),
        ([*SHAPE, "--density", "0.5", "--mask", "dense"], "density"),
    ],
)
def test_mistakes_are_one_helpful_line(capsys, options, words):
    """The option, the value, what is legal; exit code 2."""
    assert tried(*options) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


BESIDE_CAPTURE = {
    "--q": "1,4,64,128",
    "--kv": "4,64",
    "--lens": "1",
    "--lens-q": "1",
    "--lens-kv": "1",
    "--block": "16,16",
    "--mask": "band",
    "--density": "0.5",
    "--values": "uniform",
    "--tensors": "t.npz",
    "--layout": "TND",
    "--dtype": "bfloat16",
    "--scale": "0.5",
}


@pytest.mark.parametrize(
    ("option", "other", "rest"),
    [
        *((option, "--from", [option, value, "--from", "none.json"]) for option, value in BESIDE_CAPTURE.items()),
        ("--values", "--tensors", ["--values", "uniform", "--tensors", "none.npz"]),
        ("--lens", "--lens-kv", [*SHAPE, "--lens", "1,2,3", "--lens-kv", "1,2,3", "--lens-q", "1,2,3"]),
        ("--lens", "--lens-kv", ["--q", "1,4,64,128", "--kv", "4,96", "--lens", "1", "--lens-kv", "1"]),
    ],
)
def test_an_option_that_would_mean_nothing(capsys, option, other, rest):
    """Both options are named, before any file is read; exit code 2."""
    assert tried(*rest) == 2
    error = capsys.readouterr().err
    assert f"{option} beside {other}:" in error
    assert len(error.splitlines()) == 1


def test_every_option_of_the_call_is_refused_beside_from():
    """The table above has each option that says something of the call."""
    parser = Parser()
    command_module("try").add_arguments(parser)
    every = set(re.findall(r"--[a-z-]+", parser.format_usage()))
    assert every - set(BESIDE_CAPTURE) == {"--from", "--slices", "--dry-run", "--out", "--timeout", "--memory"}


@pytest.mark.parametrize("content", ["empty", "cut", "archive", "array", "words", "objects"])
@pytest.mark.parametrize(("option", "file"), [("--mask", "m.npy"), ("--tensors", "t.npz")])
def test_damaged_files_are_one_line(here, capsys, option, file, content):
    """Whatever a file holds that is no mask and no tensors: option and file are named."""
    array = np.ones((1, 4, 2, 2), dtype=np.float32)
    np.savez(here / "whole.npz", other=array)
    np.save(here / "whole.npy", array)
    archive, plain = (here / "whole.npz").read_bytes(), (here / "whole.npy").read_bytes()
    contents = {"empty": b"", "cut": archive[:60], "archive": archive, "array": plain}
    contents |= {"words": b"nonsense", "objects": _of_objects(here / f"objects{file[1:]}")}
    (here / file).write_bytes(contents[content])
    assert tried("--q", "1,4,300,128", option, file) == 2
    error = capsys.readouterr().err
    assert option in error
    assert file in error
    assert "pickle" not in error
    assert len(error.splitlines()) == 1


def _of_objects(file):
    """A file of numpy's with what is no number."""
    objects = np.array([{}])
    save = np.save if file.suffix == ".npy" else lambda name, one: np.savez(name, query=one, key=one, value=one)
    save(file, objects)
    return file.read_bytes()


def test_a_dut_that_cannot_be_tried(capsys):
    """The message says which can, and what the published ones need."""
    assert main(["try", "published.forward", *SHAPE]) == 2
    error = capsys.readouterr().err
    assert "bsa.forward" in error
    assert "BSA_ROOT" in error
    assert "did you mean" not in error


def test_wrong_tables_stop_it(monkeypatch, capsys):
    """Block tables that are wrong are said to be, and fail the command before anything runs."""
    monkeypatch.setattr("verification.duts.bsa_forward.check_forward_tables", lambda case: "row 7")
    assert tried("--q", "1,1,64,128") == 1
    assert "row 7" in capsys.readouterr().out


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward", "bsa.autograd"])
@pytest.mark.parametrize(("query", "cases"), [("1,1,64,128", 1), ("1,4,64,128", 5)])
def test_no_case_is_planned_twice(monkeypatch, dut, query, cases):
    """A call of one block is its own slice, and heads of a dense call are alike: all the same each case runs once."""
    planned = []
    monkeypatch.setattr("verification.cli.try_command.require_environment", lambda: None)
    monkeypatch.setattr("verification.cli.try_command.make_run", lambda entries, **_: (planned.extend(entries), None))
    monkeypatch.setattr("verification.cli.try_command.run_and_report", lambda *_, **__: 0)
    assert main(["try", dut, "--q", query, "--memory", "6G"]) == 0
    assert len({entry.case_id for entry in planned}) == len(planned) == cases
    assert planned[-1].suites == ("whole",)


def test_unknown_dut(capsys):
    """A name that is no DUT with this interface."""
    assert main(["try", "bsa.forwrad", *SHAPE]) == 2
    assert "bsa.forward" in capsys.readouterr().err
