"""``run --baseline`` and ``compare``: what changed, in one screen, by exit code too."""

import pytest

from stimuli.case import Case
from verification.cli.compare_command import find_baseline
from verification.errors import UsageError
from verification.journal import Journal
from verification.plan import Budget, Plan, PlanEntry, write_plan


def test_new_failure_and_its_repair(shell):
    """A run that breaks a case says so against the run before; mended, it is said to be fixed; then nothing."""
    assert shell(*shell.fake("--out", "out/good")).returncode == 0
    broken = shell(*shell.fake("--out", "out/broken", "--baseline", "out/good", rows_128="zeros"))
    assert broken.returncode == 1
    assert "  new failures: 1\n    rows 128: PASS -> FAIL" in broken.stdout
    mended = shell(*shell.fake("--out", "out/mended", "--baseline", "latest"))
    assert mended.returncode == 0
    assert "  fixed: 1\n    rows 128: FAIL -> PASS" in mended.stdout
    for a, b, code, said in (
        ("out/good", "out/broken", 1, "new failures: 1"),
        ("out/broken", "out/mended", 0, "fixed: 1"),
        ("out/good", "out/mended", 0, "no difference"),
    ):
        done = shell("compare", a, b)
        assert (done.returncode, done.stderr) == (code, "")
        assert said in done.stdout
        assert len(done.stdout.splitlines()) <= 25


def test_baseline_that_is_not_there(shell):
    """An unknown baseline, or no run of main, is said before anything runs: one line, 2, no folder."""
    for name, said in (("nowhere", "names no run"), ("main", "no run of a clean checkout of the branch main")):
        done = shell(*shell.fake("--baseline", name))
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (shell.cwd / "out").exists()


def _write(name, *, branch="main", dirty=False, finished=True):
    """A run in ``out`` with this provenance."""
    from pathlib import Path

    folder = Path("out") / name
    folder.mkdir(parents=True)
    entries = (PlanEntry(case=Case(dut="toy.double", params={}), suites=("toy",)),)
    plan = Plan(
        run_id=name,
        created="",
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter="none",
        budget=Budget(),
        entries=entries,
    )
    write_plan(folder, plan)
    with Journal(folder, "start", {"branch": branch, "dirty": dirty}) as journal:
        if finished:
            journal.finish({"exit_code": 0})


def test_main_is_the_newest_finished_run_of_a_clean_main(tmp_path, monkeypatch):
    """Other branches, uncommitted changes and runs that did not end do not count."""
    monkeypatch.chdir(tmp_path)
    for name, facts in {
        "1-old": {},
        "2-main": {},
        "3-branch": {"branch": "feature"},
        "4-dirty": {"dirty": True},
        "5-no-git": {"branch": None, "dirty": None},
        "6-running": {"finished": False},
    }.items():
        _write(name, **facts)
    assert find_baseline("main").plan.run_id == "2-main"


def test_a_resumed_run_is_not_its_own_baseline(tmp_path, monkeypatch):
    """Of the run that goes on, the one before is meant."""
    monkeypatch.chdir(tmp_path)
    _write("1-old")
    _write("2-this")
    assert find_baseline("main", other_than=tmp_path / "out" / "2-this").plan.run_id == "1-old"
    (tmp_path / "out" / "1-old" / "plan.json").unlink()
    with pytest.raises(UsageError, match="no run of a clean checkout"):
        find_baseline("main", other_than=tmp_path / "out" / "2-this")
