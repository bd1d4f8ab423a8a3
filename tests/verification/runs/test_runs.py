"""Runs through the real command: records, resume, workers, exit codes. The backend is fake, the processes are real."""

import json
import os
import random
import signal
import time

import pytest

from tests.support import runs
from tests.support.kills import outcome, wait_for_records
from verification.plan import Plan

DETERMINISTIC = ("case_id", "attempt", "case", "suites", "backend", "run_mode", "verdict", "reason", "outputs")
"""Fields of a record that do not depend on when, where and by how many workers it was made."""


def fake(*arguments, cwd, default="run", seconds=0.0, **behaviours):
    path = runs.behaviours(cwd, default=default, behaviours=behaviours, seconds=seconds)
    workers = () if "-n" in arguments else ("-n", 1)
    options = ("--backend", "fake", "--behaviours", path, "--dut", "toy.double", *workers)
    return runs.bsa_verify("run", *options, *arguments, cwd=cwd)


def stable(run):
    return sorted(json.dumps({k: r.to_json()[k] for k in DETERMINISTIC}, sort_keys=True) for r in run.records)


def test_passing_run(tmp_path):
    """All passed: exit code 0, one record a case, a report, the closing line."""
    done = fake("--suite", "toy", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    run = runs.run_of(tmp_path)
    assert runs.verdicts(run) == {"rows 64": "PASS", "rows 128": "PASS", "rows 192": "PASS"}
    assert all(record.synthetic for record in run.records)
    assert done.stdout.splitlines()[-1] == "3 passed, 0 failed"
    assert {"index.html", "report.md", "report.json", "junit.xml"} <= {path.name for path in run.path.iterdir()}
    assert {"commit", "dirty", "tree", "versions", "host", "argv"} <= set(run.manifest)


@pytest.mark.parametrize(
    ("behaviour", "verdict", "code"),
    [
        ("zeros", "FAIL", 1),
        ("raise", "FAIL", 1),
        ("crash", "CRASH", 1),
        ("timeout", "TIMEOUT", 1),
        ("memory", "MEMORY", 1),
        ("no-log", "FAIL", 1),
        ("no-task", "FAIL", 1),
        ("interrupted", "INFRA", 3),
    ],
)
def test_each_ending_has_its_verdict_and_exit_code(tmp_path, behaviour, verdict, code):
    """One bad case decides the exit code, the others keep their verdicts, the reason is printed when it happens."""
    done = fake("--suite", "toy", cwd=tmp_path, **{"rows 128": behaviour})
    assert done.returncode == code, done.stdout + done.stderr
    run = runs.run_of(tmp_path)
    assert runs.verdicts(run) == {"rows 64": "PASS", "rows 128": verdict, "rows 192": "PASS"}
    bad = [record for record in run.records if record.case["name"] == "rows 128"]
    assert len(bad) == (3 if verdict == "INFRA" else 1)
    lines = done.stdout.splitlines()
    assert any(verdict in line and "rows 128" in line and line.startswith("[") for line in lines)


def test_interruption_from_outside_is_tried_again(tmp_path):
    """An attempt ended from outside is recorded and tried again; the case then counts for what it did."""
    done = fake("--suite", "toy", cwd=tmp_path, **{"rows 64": ["interrupted", "interrupted", "run"]})
    assert done.returncode == 0, done.stdout + done.stderr
    run = runs.run_of(tmp_path)
    attempts = [record.verdict for record in run.records if record.case["name"] == "rows 64"]
    assert attempts == ["INFRA", "INFRA", "PASS"]


def test_two_workers_equal_one(tmp_path):
    """-n 2 gives the same records as one process, in the deterministic fields."""
    for folder, workers in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        behaviours = {"many 3": "zeros", "many 5": "crash"}
        done = fake("--suite", "toy-many", "-n", workers, cwd=tmp_path / folder, **behaviours)
        assert done.returncode == 1, done.stdout + done.stderr
    one, two = stable(runs.run_of(tmp_path / "one")), stable(runs.run_of(tmp_path / "two"))
    assert len(one) == 40
    assert one == two


def test_killed_worker_costs_one_attempt(tmp_path):
    """Kill -9 of a worker: its case is INFRA by the controller's hand, the others are recorded, the run goes on."""
    behaviours = {"many 4": ["kill-worker"]}
    done = fake("--suite", "toy-many", "-n", 2, cwd=tmp_path, **behaviours)
    run = runs.run_of(tmp_path)
    seen = runs.verdicts(run)
    assert done.returncode == 3, done.stdout + done.stderr
    assert {name for name, verdict in seen.items() if verdict != "PASS"} == {"many 4"}
    assert seen["many 4"] == "INFRA"
    assert [record.attempt for record in run.records if record.case["name"] == "many 4"] == [1, 2, 3]


def test_interrupted_run_ends_with_3_and_resumes(tmp_path):
    """SIGINT ends a run with 3 and the command to go on with; the resumed run has one record a case."""
    path = runs.behaviours(tmp_path, default="run", seconds=0.3)
    options = ("run", "--backend", "fake", "--behaviours", path, "--dut", "toy.double", "--suite", "toy-many")
    process = runs.start(*options, "-n", 2, cwd=tmp_path)
    wait_for_records(process, tmp_path, 3)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 3, process.stderr
    assert "run --resume" in process.stdout
    before = runs.run_of(tmp_path)
    assert 0 < len(before.records) < 40
    done = runs.bsa_verify("run", "--resume", "latest", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    after = runs.run_of(tmp_path)
    assert len(after.records) == 40
    assert {record.case_id for record in before.records} <= {record.case_id for record in after.records}


@pytest.mark.parametrize("seed", range(3))
def test_killed_controller_resumes_to_the_undisturbed_result(tmp_path, seed):
    """Kill -9 of the controller at a random moment: the resumed run has the undisturbed run's outcome."""
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    for folder in (undisturbed, disturbed):
        folder.mkdir()
    assert fake("--suite", "toy-many", cwd=undisturbed).returncode == 0
    path = runs.behaviours(disturbed, default="run", seconds=0.05)
    options = ("run", "--backend", "fake", "--behaviours", path, "--dut", "toy.double", "--suite", "toy-many")
    process = runs.start(*options, "-n", 2, cwd=disturbed)
    wait_for_records(process, disturbed, 1)
    time.sleep(random.Random(seed).random() * 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=60)
    done = runs.bsa_verify("run", "--resume", "latest", cwd=disturbed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert outcome(runs.run_of(disturbed)) == outcome(runs.run_of(undisturbed))


def test_resume_of_a_finished_run_changes_nothing(tmp_path):
    """There is nothing left to do, and it says so by the same result."""
    assert fake("--suite", "toy", cwd=tmp_path).returncode == 0
    before = runs.run_of(tmp_path).records
    assert runs.bsa_verify("run", "--resume", "latest", cwd=tmp_path).returncode == 0
    assert runs.run_of(tmp_path).records == before


def test_records_that_are_no_file_end_the_run_with_4(tmp_path):
    """A device in the place of the records is not read without end: one clear message, exit code 4."""
    done = fake("--suite", "toy", "--out", tmp_path / "out" / "first", cwd=tmp_path)
    assert done.returncode == 0
    folder = tmp_path / "out" / "second"
    folder.mkdir()
    plan = (tmp_path / "out" / "first" / "plan.json").read_text()
    (folder / "plan.json").write_text(plan)
    (folder / "records.jsonl").symlink_to("/dev/zero")
    done = runs.bsa_verify("run", "--resume", folder, cwd=tmp_path)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "not a file" in done.stderr


def test_plan_round_trip(tmp_path):
    """A plan is read back as it was written."""
    fake("--suite", "toy", "toy-wrong", cwd=tmp_path)
    plan = runs.run_of(tmp_path).plan
    assert Plan.from_text(plan.to_text()) == plan
    assert len(plan.entries) == 12
