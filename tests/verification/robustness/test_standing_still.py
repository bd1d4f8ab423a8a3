"""What stands still without dying is ended: a stopped worker, a reference without an end. It costs its case only."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.support import runs
from tests.support.kills import children, victims, wait_for_records

IMPATIENT = [("impatient", 3.0)]
_PASS_TIME = b"-ISc"
"""On the command line of the child that a case of the fake backend waits for."""


def stop_a_worker(command):
    """Stops a worker that is running a case of half a second, as ``kill -STOP`` does."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for worker in victims(command.pid)["worker"]:
            if any(_PASS_TIME in Path(f"/proc/{child}/cmdline").read_bytes() for child in children(worker)):
                os.kill(worker, signal.SIGSTOP)
                return worker
        time.sleep(0.02)
    raise AssertionError(command.stdout + command.stderr)


def test_stopped_worker_is_ended_and_its_case_runs_again(place):
    """The attempt is INFRA with its reason, the next one passes, the run ends with 0."""
    command = place.start(*place.fake("toy", seconds=0.5, workers=2), confine=IMPATIENT)
    worker = stop_a_worker(command)
    assert command.wait(timeout=300) == 0, command.stdout + command.stderr
    assert not Path(f"/proc/{worker}").exists()
    run = place.run()
    assert set(runs.verdicts(run).values()) == {"PASS"}
    (lost,) = (record for record in run.records if record.verdict == "INFRA")
    assert "it was stopped for 3 s, and was ended" in lost.reason


@pytest.mark.nightly
def test_worker_that_goes_on_soon_is_left_alone(place):
    """Stopped for a moment, it finishes its case."""
    command = place.start(*place.fake("toy", seconds=0.5, workers=2), confine=[("impatient", 60.0)])
    worker = stop_a_worker(command)
    time.sleep(2.5)
    os.kill(worker, signal.SIGCONT)
    assert command.wait(timeout=300) == 0, command.stdout + command.stderr
    assert {record.verdict for record in place.run().records} == {"PASS"}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_reference_that_loops_for_ever(place, workers):
    """Its time is that of the case: NO_REFERENCE, and the others go on."""
    words = place.fake("toy-endless", "toy", workers=workers)
    done = place.bsa_verify(*words, "--cases", "reference-loops", "rows 64", "--timeout", 3)
    assert done.returncode == 3, done.stdout + done.stderr
    run = place.run()
    assert runs.verdicts(run) == {"reference-loops": "NO_REFERENCE", "rows 64": "PASS"}
    (record,) = (record for record in run.records if record.verdict == "NO_REFERENCE")
    assert record.reason == "the reference took longer than a case may: 3 s (--timeout)"


def test_reference_that_hangs_outside_python(place):
    """No signal gets through to it: its worker is ended, three times, and the others go on."""
    words = place.fake("toy-endless", "toy", workers=2)
    options = ("--cases", "reference-hangs", "rows 64", "--timeout", 2)
    done = place.bsa_verify(*words, *options, confine=[("impatient", 1.0)])
    assert done.returncode == 3, done.stdout + done.stderr
    run = place.run()
    assert runs.verdicts(run) == {"reference-hangs": "INFRA", "rows 64": "PASS"}
    reasons = [record.reason for record in run.records if record.verdict == "INFRA"]
    assert len(reasons) == 3
    assert all("its reference hung for 3 s, and it was ended" in reason for reason in reasons)


def test_worker_that_replaces_a_dead_one_does_not_hear_ctrl_c(place):
    """Like the first ones it inherits a blocked SIGINT: Ctrl-C while it starts would show its traceback."""
    command = place.start(*place.fake("toy-many", seconds=0.3, workers=2))
    wait_for_records(command, place.cwd, 1)
    first = set(victims(command.pid)["worker"])
    os.kill(min(first), signal.SIGKILL)
    while not (new := set(victims(command.pid)["worker"]) - first):
        assert command.poll() is None, command.stdout + command.stderr
    assert _blocks(new.pop(), signal.SIGINT)
    while _blocks(command.pid, signal.SIGINT):
        assert command.poll() is None, command.stdout + command.stderr
        time.sleep(0.05)
    os.killpg(command.pid, signal.SIGINT)
    assert command.wait(timeout=120) == 3, command.stdout + command.stderr
    assert "Traceback" not in command.stdout + command.stderr


def _blocks(pid, number):
    """Whether the main thread of a process blocks a signal."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (mask,) = (line.split()[1] for line in lines if line.startswith("SigBlk:"))
    return bool(int(mask, 16) >> (number - 1) & 1)
