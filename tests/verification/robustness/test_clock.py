"""A clock that jumps by ten years at every reading changes no budget, loses no record and breaks no command."""

import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import runs
from verification.cli.clean_command import choose
from verification.plan import write_plan
from verification.runs import find_run, list_runs, next_sequence

SOURCE = Path(__file__).parents[2] / "support" / "clock.c"


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    """What makes every process of a command read such a clock."""
    library = tmp_path_factory.mktemp("clock") / "clock.so"
    subprocess.run(["g++", "-x", "c", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return {"LD_PRELOAD": str(library)}


def bsa_verify(place, clock, *words):
    """A command in a new interpreter, which is where a preloaded library acts."""
    return runs.exec_bsa_verify(*words, cwd=place.cwd, env={**place.env, **clock})


def test_budgets_in_the_simulator(place, clock):
    """A case that hangs is ended by its budget, one that works is not; the records show that the clock jumped."""
    words = ("run", "--dut", "toy.double", "--suite", "toy", "toy-wrong", "--cases", "rows 64", "hang", "-n", 1)
    done = bsa_verify(place, clock, *words, "--timeout", 15)
    assert done.returncode == 1, done.stdout + done.stderr
    run = place.run()
    assert runs.verdicts(run) == {"rows 64": "PASS", "hang": "TIMEOUT"}
    assert len({time[:4] for record in run.records for time in (record.started, record.finished)}) > 1
    assert all(0 < record.measurement.wall_s < 60 for record in run.records)


@pytest.mark.nightly
def test_commands_over_such_runs(place, clock):
    """Two workers, a resumed run, compare, report and clean: all as ever."""
    declared = {"rows 128": ["interrupted", "interrupted", "interrupted", "run"]}
    words = place.fake("toy", workers=2, seconds=0.1, **declared)
    assert bsa_verify(place, clock, *words, "--out", "out/one").returncode == 3
    assert runs.verdicts(place.run()) == {"rows 64": "PASS", "rows 128": "INFRA", "rows 192": "PASS"}
    (place.cwd.parent / "behaviours.json").write_text('{"default": "run"}')
    assert bsa_verify(place, clock, *place.fake("toy", workers=2), "--out", "out/two").returncode == 0
    for command in (("compare", "out/two", "out/two"), ("report", "out/one"), ("report", "out/two")):
        done = bsa_verify(place, clock, *command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    done = bsa_verify(place, clock, "clean", "--keep-size", "5G")
    assert done.returncode == 0, done.stderr
    assert len(list_runs(place.cwd / "out")) == 2


def test_latest_is_the_last_started_whatever_the_files_say(place):
    """Dates of tomorrow and of last month change nothing; a run that is resumed becomes the latest."""
    for name, days in (("one", 1), ("two", -1), ("three", -20)):
        assert place.bsa_verify(*place.fake("toy"), "--out", f"out/{name}").returncode == 0
        then = time.time() + days * 86400
        for path in [*(place.cwd / "out" / name).iterdir(), place.cwd / "out" / name]:
            os.utime(path, (then, then))
    out = place.cwd / "out"
    assert [run.name for run in list_runs(out)] == ["one", "two", "three"]
    assert find_run("latest", out).name == "three"
    assert place.bsa_verify("run", "--resume", "out/two").returncode == 0
    assert [run.name for run in list_runs(out)] == ["one", "three", "two"]


def test_run_that_was_only_planned_is_the_latest(place):
    """Killed before its journal was there, it is what ``--resume latest`` goes on with; then it is followed as any."""
    assert place.bsa_verify(*place.fake("toy"), "--out", "out/one").returncode == 0
    run = place.run()
    (place.cwd / "out" / "two").mkdir()
    write_plan(place.cwd / "out" / "two", replace(run.plan, run_id="two", sequence=next_sequence(run.path)))
    os.utime(place.cwd / "out" / "two" / "plan.json", (0, 0))
    assert find_run("latest", place.cwd / "out").name == "two"
    assert place.bsa_verify(*place.fake("toy"), "--out", "out/three").returncode == 0
    assert find_run("latest", place.cwd / "out").name == "three"


def test_age_goes_by_the_files_and_spares_the_future(place):
    """Only what is older than it may be goes."""
    for name, days in (("one", -20), ("two", 1), ("three", -1)):
        assert place.bsa_verify(*place.fake("toy"), "--out", f"out/{name}").returncode == 0
        then = time.time() + days * 86400
        os.utime(place.cwd / "out" / name, (then, then))
    assert [run.name for run in choose(list_runs(place.cwd / "out"), older_than=14, keep_size=None)] == ["one"]
