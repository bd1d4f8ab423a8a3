"""What a killed process was writing goes; what somebody is writing, and what is whole, stays."""

import os

import pytest

from tests.support import runs
from verification.drafts import draft_of, sweep_drafts
from verification.journal import MANIFEST_FILE, Journal
from verification.plan import Budget, Plan, write_plan
from verification.runs import is_being_written, remove_unplanned

PLAN = Plan(
    run_id="run",
    created="",
    command=(),
    run_mode="sim",
    backend="fake",
    pass_filter="none",
    budget=Budget(),
    entries=(),
)


def test_draft_of_a_dead_process_goes_and_a_living_one_stays(tmp_path):
    """The lock tells them apart."""
    (tmp_path / ".draft-dead-plan.json").write_text("half")
    with draft_of(tmp_path / "report.md", "text") as draft:
        sweep_drafts(tmp_path)
        assert list(tmp_path.iterdir()) == [draft]
    assert list(tmp_path.iterdir()) == []


def test_second_plan_is_refused_whatever_became_of_its_draft(tmp_path, monkeypatch):
    """Also when the first run took the draft for one that was left behind."""
    write_plan(tmp_path, PLAN)
    with pytest.raises(FileExistsError):
        write_plan(tmp_path, PLAN)
    monkeypatch.setattr("verification.plan.os.link", lambda draft, target: draft.unlink() or draft.stat())
    with pytest.raises(FileExistsError):
        write_plan(tmp_path, PLAN)


def test_run_removes_the_drafts_in_its_folder(tmp_path):
    """Those of a run that was killed before its plan was there, and of a report that was never finished."""
    folder = tmp_path / "out" / "mine"
    folder.mkdir(parents=True)
    for name in (".draft-x1-plan.json", ".draft-x2-index.html"):
        (folder / name).write_text("half")
    path = runs.behaviours(tmp_path, default="run")
    words = ("run", "--backend", "fake", "--behaviours", path, "--dut", "toy.double", "--suite", "toy", "-n", 1)
    assert runs.bsa_verify(*words, "--out", folder, cwd=tmp_path).returncode == 0
    assert not list(folder.glob(".draft-*"))


def test_folders_without_a_plan(tmp_path):
    """``clean`` takes a run's empty folder, and neither a folder of another name nor one that holds anything."""
    empty, theirs, full, planned = (
        tmp_path / name for name in ("20260101T000000-abcd", "mine", "20260101T000000-0001", "20260101T000000-0002")
    )
    for folder in (empty, theirs, full, planned):
        folder.mkdir()
    (empty / ".draft-x1-plan.json").write_text("half")
    (full / "notes.txt").write_text("of somebody")
    write_plan(planned, PLAN)
    assert remove_unplanned(tmp_path) == [empty]
    assert sorted(tmp_path.iterdir()) == sorted([theirs, full, planned])
    assert remove_unplanned(tmp_path / "nowhere") == []


def test_clean_spares_a_run_that_is_being_written(tmp_path):
    """However old and large it looks."""
    path = runs.behaviours(tmp_path, default="run")
    words = ("run", "--backend", "fake", "--behaviours", path, "--dut", "toy.double", "--suite", "toy", "-n", 1)
    for name in ("first", "second"):
        assert runs.bsa_verify(*words, "--out", f"out/{name}", cwd=tmp_path).returncode == 0
    first = tmp_path / "out" / "first"
    with Journal(first, "resume", {}):
        os.utime(first / MANIFEST_FILE, (0, 0))
        assert is_being_written(first)
        assert runs.bsa_verify("clean", "--keep-size", "1", cwd=tmp_path).returncode == 0
        assert (first / "plan.json").exists()
    assert not is_being_written(first)
    assert runs.bsa_verify("clean", "--keep-size", "1", cwd=tmp_path).returncode == 0
    assert not first.exists()


def test_clean_of_a_run_without_a_journal(tmp_path):
    """A plan alone is written by nobody."""
    write_plan(tmp_path, PLAN)
    assert not is_being_written(tmp_path)
    with Journal(tmp_path, "start", {}):
        assert is_being_written(tmp_path)
