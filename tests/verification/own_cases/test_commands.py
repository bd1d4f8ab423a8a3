"""``shrink`` and ``add-case``: from a failure to a case of the user's own that suite ``field`` runs."""

import json

import pytest

from stimuli.user_cases import read_file
from verification.cli.main import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current folder of its own, where every kernel writes zeros."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BSA_CASES", raising=False)
    (tmp_path / "zeros.json").write_text('{"default": "zeros"}')
    (tmp_path / "right.json").write_text('{"default": "run"}')
    return tmp_path


def fake(behaviours):
    """Options of a run with declared behaviours."""
    return ["--backend", "fake", "--behaviours", behaviours]


def test_shrink_add_run(here, capsys):
    """A failing case is shrunk, kept, listed and run."""
    assert main(["shrink", "bsa.forward:smoke/tails", *fake("zeros.json"), "--out", "small.json", "--add"]) == 0
    small = json.loads((here / "small.json").read_text())
    assert small["params"]["seq_q"] == small["params"]["seq_kv"] == 1
    (kept,) = read_file(here / "cases" / "field.toml")
    assert kept.id == small["id"]
    printed = capsys.readouterr().out
    assert "bsa-verify replay small.json" in printed
    assert small["id"] in printed
    assert main(["list", "--suite", "field", "--dut", "bsa.forward"]) == 0
    assert small["id"] in capsys.readouterr().out


def test_nothing_to_shrink(here, capsys):
    """A case that passes is not shrunk: exit code 1, and no file."""
    assert main(["shrink", "bsa.forward:smoke/one token", *fake("right.json")]) == 1
    assert "no failure to shrink" in capsys.readouterr().out
    assert not list(here.glob("*[0-9a-f].json"))


def test_add_from_toml_and_run(here, capsys):
    """A case in a few lines of TOML is added once, and what runs it is said."""
    (here / "mine.toml").write_text('[[case]]\ndut = "bsa.forward"\nname = "mine"\nparams = { seq_q = 7 }\n')
    assert main(["add-case", "mine.toml"]) == 0
    first = capsys.readouterr().out
    assert "bsa-verify run --cases" in first
    assert main(["add-case", "mine.toml"]) == 0
    assert "already" in capsys.readouterr().out
    assert [case.name for case in read_file(here / "cases" / "field.toml")] == ["mine"]
    identity = first.split("--cases ")[1].strip()
    assert main(["run", "--cases", identity, "--backend", "fake", "--out", "run", "-n", "1"]) == 0


def test_folder_of_cases(here, capsys, monkeypatch):
    """BSA_CASES names another folder; --name and --file are heeded."""
    monkeypatch.setenv("BSA_CASES", "elsewhere")
    assert main(["add-case", "bsa.forward:smoke/tails", "--name", "renamed"]) == 0
    assert read_file(here / "elsewhere" / "field.toml")[0].name == "renamed"
    assert "elsewhere" in capsys.readouterr().out
    assert main(["add-case", "bsa.forward:smoke/tails", "--name", "x", "--file", "one.toml"]) == 0
    assert read_file(here / "one.toml")[0].name == "x"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[[case]]\ndut = "bsa.forward"\nparams = { seqq = 7 }\n', "params.seqq"),
        ('[[case]]\ndut = "bsa.forward"\nparams = { padding = "x" }\n', "padding"),
        ('[[case]]\ndut = "bsa.nothing"\nparams = {}\n', "bsa.nothing"),
    ],
)
def test_what_cannot_be_made_is_not_added(here, capsys, content, words):
    """A wrong case is a usage error of one line, and nothing is written."""
    (here / "wrong.toml").write_text(content)
    assert main(["add-case", "wrong.toml"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
    assert not (here / "cases").exists()


def test_damaged_own_cases_are_a_usage_error(here, capsys):
    """A file that is no TOML stops every selection, by name."""
    (here / "cases").mkdir()
    (here / "cases" / "bad.toml").write_text("[[case]\n")
    assert main(["list", "--suite", "field"]) == 2
    assert "bad.toml" in capsys.readouterr().err
