"""``replay``: one case again, named in any of the ways that a user has at hand."""

import json

import pytest

from tests.support import runs
from verification.cli import main
from verification.selection import find_case


def test_a_case_of_a_file_runs_in_a_run_of_its_own(shell):
    """A line of ``list --json`` is a file that ``replay`` takes; the new run holds that case and passes in sim."""
    line = shell("list", "--json", "--cases", "toy.double:rows 64").stdout
    (shell.cwd / "case.json").write_text(line, encoding="utf-8")
    done = shell("replay", "case.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed"
    run = runs.run_of(shell.cwd)
    assert [entry.case_id for entry in run.plan.entries] == [json.loads(line)["id"]]
    assert run.records[0].measurement.tasks > 0


@pytest.mark.parametrize(
    ("name", "until", "code", "said"),
    [
        ("raise", "2999-01-01", 0, "KNOWN toy.double raise: rows are lost (Li Wei, 2026-01-01, until 2999-01-01)"),
        ("raise", "2026-01-02", 1, "its entry in the ledger of known failures expired on 2026-01-02"),
        ("rows 64", "2999-01-01", 1, "passes, though the ledger of known failures says it fails"),
    ],
    ids=["known", "expired", "passes"],
)
def test_a_known_failure_is_said_to_be_one(shell, name, until, code, said):
    """The ledger of the current folder, or the one named, judges as in ``run``, and decides the exit code as there."""
    case = json.loads(shell("list", "--json", "--cases", f"toy.double:{name}").stdout)["id"]
    fields = (f'case = "{case}"', 'reason = "rows are lost"', 'author = "Li Wei"', "date = 2026-01-01")
    ledger = shell.cwd / ("known.toml" if name == "raise" else "other.toml")
    ledger.write_text("\n".join(["[[known]]", *fields, f"expires = {until}", ""]), encoding="utf-8")
    named = [] if name == "raise" else ["--known", "other.toml"]
    done = shell("replay", f"toy.double:{name}", *named)
    assert (done.returncode, said in done.stdout) == (code, True), done.stdout + done.stderr
    if code == 0:
        assert "0 passed, 0 failed, 1 known failure" in done.stdout


def _found(shell, monkeypatch, *words):
    """The case that a command would replay."""
    found = []
    monkeypatch.chdir(shell.cwd)
    monkeypatch.setattr("verification.cli.replay_command.require_environment", lambda: None)
    monkeypatch.setattr("verification.cli.replay_command.make_run", lambda entries, **_: (found.extend(entries), None))
    monkeypatch.setattr("verification.cli.replay_command.run_and_report", lambda *_, **__: 0)
    assert main(["replay", *words]) == 0
    return found[0].case


def test_every_name_finds_it(shell, monkeypatch):
    """Name with and without its suite, id, its beginning, DUT:NAME and --dut: the same case."""
    from verification.dut import find_duts

    case = find_case(find_duts(), "bsa.forward:dense").case
    for words in (
        ("smoke/dense", "--dut", "bsa.forward"),
        ("dense", "--dut", "bsa.forward"),
        ("bsa.forward:dense",),
        ("bsa.forward:smoke/dense",),
        (case.id,),
        (case.id[:6],),
    ):
        assert _found(shell, monkeypatch, *words).id == case.id, words


def test_a_run_is_searched_in_the_same_ways(shell, monkeypatch):
    """``--run`` looks into that run's plan alone."""
    assert shell(*shell.fake()).returncode == 0
    case = _found(shell, monkeypatch, "rows 64", "--run", "latest")
    for word in (case.id[:6], "toy.double:rows 64"):
        assert _found(shell, monkeypatch, word, "--run", "latest").id == case.id


@pytest.mark.parametrize("words", [("dense",), ("smoke/dense",)])
def test_an_ambiguous_name_lists_what_it_fits(words, capsys):
    """One line with a DUT:NAME and an id for each, and how to choose; exit code 2."""
    assert main(["replay", *words]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "'bsa.forward:smoke/dense'" in line
    assert "'bsa.backward:smoke/dense'" in line
    assert "--dut" in line


def test_run_takes_all_that_a_name_fits(capsys):
    """``--cases`` selects a set: a name that two DUTs have means both, DUT:NAME one; aliases likewise."""

    def duts(*words):
        assert main(["list", *words]) == 0
        return {line.split("\t")[1] for line in capsys.readouterr().out.splitlines()}

    assert duts("--cases", "dense") == {"bsa.forward", "bsa.backward"}
    assert duts("--cases", "bsa.backward:dense") == {"bsa.backward"}
    assert duts("--suite", "published", "--cases", "bsa.forward:quick") == {"bsa.forward"}
