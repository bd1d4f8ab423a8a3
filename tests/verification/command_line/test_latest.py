"""``latest``: the newest run with a record, for all who read results; only ``run --resume`` takes a planned one."""

from dataclasses import replace

import pytest

from tests.support import runs
from verification.plan import write_plan
from verification.runs import next_sequence, read_run

READERS = [
    ("report", "latest"),
    ("compare", "latest", "latest"),
    ("merge", "latest", "--out", "merged"),
    ("coverage", "latest"),
    ("holes", "latest"),
    ("holes", "latest", "--close"),
    ("kernel-coverage", "latest"),
    ("replay", "rows 64", "--run", "latest"),
    ("shrink", "rows 64", "--run", "latest"),
    ("add-case", "rows 64", "--run", "latest"),
    ("run", "--baseline", "latest"),
]
"""Every command that reads results."""


@pytest.fixture
def planned(shell):
    """A run with records, ``out/one``, and newer ones that were only planned: ``out/two``, ``out/and three``."""
    assert shell(*shell.fake("--out", "out/one")).returncode == 0
    plan = read_run(shell.cwd / "out" / "one").plan
    for name in ("two", "and three"):
        folder = shell.cwd / "out" / name
        folder.mkdir()
        write_plan(folder, replace(plan, run_id=name, sequence=next_sequence(folder)))
    return shell


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_run_without_a_record_is_passed_over(planned, words):
    """One line on standard error says what was taken, how many were passed over, and the command that runs one."""
    if words[0] == "run":
        words = planned.fake("--out", "out/new", *words[1:])
    done = planned(*words)
    said = [line for line in done.stderr.splitlines() if "passed over" in line]
    assert len(said) == words.count("latest")
    for line in said:
        assert line == (
            "latest is one: 2 newer without any record passed over; run the newest: "
            "bsa-verify run --resume 'out/and three'"
        )
    assert "names no run" not in done.stderr


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_there_is_none_with_a_record(shell, words):
    """Then ``latest`` names no run: one line, 2, and nothing is written."""
    assert shell(*shell.fake("--out", "elsewhere")).returncode == 0
    (shell.cwd / "out" / "two").mkdir(parents=True)
    write_plan(shell.cwd / "out" / "two", replace(read_run(shell.cwd / "elsewhere").plan, run_id="two"))
    if words[0] == "run":
        words = shell.fake("--out", "out/new", *words[1:])
    done = shell(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "RUN: 'latest' names no run with a record" in done.stderr
    assert done.stderr.rstrip().endswith("Newest runs: two")
    assert [path.name for path in (shell.cwd / "out").iterdir()] == ["two"]


def test_a_torn_first_record_is_none(planned):
    """A kill while the first record was written leaves a line without its end."""
    (planned.cwd / "out" / "two" / "records.jsonl").write_text('{"run_id": ')
    done = planned("report", "latest")
    assert done.returncode == 0
    assert done.stderr.startswith("latest is one: 2 newer")


def test_resume_takes_what_is_planned(planned):
    """The newest of all; once it has run, it is what ``latest`` means to everybody, and nothing is said."""
    assert planned("run", "--resume", "latest").returncode == 0
    done = planned("report", "latest")
    assert (done.returncode, done.stderr) == (0, "")
    assert (planned.cwd / "out" / "and three" / "report.md").exists()


@pytest.mark.parametrize(
    "words", [*READERS, ("run", "--baseline", "latest"), ("run", "--resume", "latest")], ids=" ".join
)
@pytest.mark.parametrize("inside", [False, True], ids=["beside a run", "in a run's folder"])
def test_an_empty_name_names_no_run(shell, words, inside):
    """Not the only run there is, nor the folder in which the command is started."""
    fake = shell.fake("--out", "new")
    assert shell(*shell.fake("--out", "out/only")).returncode == 0
    given = tuple("" if word == "latest" else word for word in words)
    if words[:2] == ("run", "--baseline"):
        given = (*fake, *given[1:])
    done = runs.bsa_verify(*given, cwd=shell.cwd / "out" / "only" if inside else shell.cwd)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "RUN: '' names no run; give a folder, an id or 'latest'" in done.stderr
