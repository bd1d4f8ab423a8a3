"""SIGINT, SIGTERM, SIGHUP end a run in order: 3, or 1 after a failure; records are kept, nothing else is left."""

import os
import signal
import time

import pytest

from tests.support import runs
from tests.support.kills import victims, wait_for_records
from verification.cli import main, running
from verification.runs import read_run

WAYS = {
    "ctrl-c": (os.killpg, signal.SIGINT),
    "interrupt": (os.kill, signal.SIGINT),
    "terminate": (os.kill, signal.SIGTERM),
    "service manager": (os.killpg, signal.SIGTERM),
    "hang-up": (os.kill, signal.SIGHUP),
    "closed terminal": (os.killpg, signal.SIGHUP),
}
"""How a run is ended in practice: by a signal to its first process, or by one to all processes of its terminal."""
EACH_TIME = {("interrupt", 1), ("ctrl-c", 2), ("terminate", 1), ("closed terminal", 2)}
"""What is tried in each run of the tests; the rest of the grid is for the night."""


GRID = [
    pytest.param(way, workers, marks=() if (way, workers) in EACH_TIME else pytest.mark.nightly)
    for way in WAYS
    for workers in (1, 2)
]


@pytest.mark.parametrize(("way", "workers"), GRID)
def test_run_ends_in_order_and_resumes(place, way, workers):
    """Exit code 3, the command to go on with, a closed journal; resumed, the run has one record a case."""
    send, number = WAYS[way]
    cases = [f"many {n}" for n in range(1, 9)]
    words = (*place.fake("toy-many", seconds=0.5, workers=workers), "--cases", *cases)
    command = place.start(*words, "--out", "out/mine")
    wait_for_records(command, place.cwd, 1)
    send(command.pid, number)
    assert command.wait(timeout=120) == 3, command.stdout + command.stderr
    assert "run --resume" in command.stdout
    assert "Traceback" not in command.stdout + command.stderr
    place.assert_nothing_left()
    before = read_run(place.cwd / "out" / "mine")
    assert 0 < len(before.records) < 8
    assert before.events[-1] == {"event": "finish", "exit_code": 3}
    done = place.bsa_verify("run", "--resume", "out/mine", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    after = read_run(place.cwd / "out" / "mine").records
    assert after[: len(before.records)] == before.records
    assert sorted({record.case_id for record in after if record.verdict == "PASS"}) == sorted(
        entry.case_id for entry in before.plan.entries
    )


def test_failure_before_the_interruption_decides(place):
    """A case that had failed by then makes it 1."""
    cases = [f"many {n}" for n in range(1, 9)]
    command = place.start(*place.fake("toy-many", seconds=0.5, **{"many 1": "zeros"}), "--cases", *cases)
    wait_for_records(command, place.cwd, 1)
    os.kill(command.pid, signal.SIGTERM)
    assert command.wait(timeout=120) == 1, command.stdout + command.stderr
    assert "run --resume" in command.stdout


def test_signals_that_keep_coming(place):
    """Whoever presses Ctrl-C again and again gets the same end, whatever it interrupts."""
    command = place.start(*place.fake("toy-many", seconds=0.5, workers=2))
    wait_for_records(command, place.cwd, 1)
    for _ in range(20):
        if command.poll() is None:
            os.killpg(command.pid, signal.SIGINT)
        time.sleep(0.05)
    assert command.wait(timeout=120) == 3, command.stdout + command.stderr
    assert "Traceback" not in command.stdout + command.stderr


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_signals_that_keep_coming_after_a_failure(place, workers):
    """The failure decides, however often and whenever Ctrl-C is pressed: 1, with a report and a closed journal."""
    cases = [f"many {n}" for n in range(1, 9)]
    command = place.start(
        *place.fake("toy-many", seconds=0.5, workers=workers, **{"many 1": "zeros"}), "--cases", *cases
    )
    wait_for_failure(command, place.cwd)
    while command.poll() is None:
        os.killpg(command.pid, signal.SIGINT)
        time.sleep(0.05)
    assert command.wait(timeout=120) == 1, command.stdout + command.stderr
    assert "Traceback" not in command.stdout + command.stderr
    assert place.run().events[-1] == {"event": "finish", "exit_code": 1}
    assert (place.run().path / "index.html").exists()


def wait_for_failure(command, folder):
    """Waits until a failed case is on the disk."""
    number = 1
    while True:
        wait_for_records(command, folder, number)
        records = runs.run_of(folder).records
        if any(record.verdict == "FAIL" for record in records):
            return
        number = len(records) + 1


@pytest.mark.parametrize(("behaviour", "code"), [("zeros", 1), ("run", 3)])
@pytest.mark.parametrize("step", ["_write_reports", "print_summary"])
def test_interruption_after_the_last_case(place, monkeypatch, step, behaviour, code):
    """While a run writes its report, too: 1 if a failure is recorded by then, else 3."""
    assert _interrupted_in(step, place, monkeypatch, rows_128=behaviour) == code


def test_interruption_before_the_first_case(place, monkeypatch, capsys):
    """Nothing is recorded: 3, and one line."""
    assert _interrupted_in("provenance", place, monkeypatch) == 3
    assert capsys.readouterr().err == "bsa-verify: interrupted\n"


def _interrupted_in(step, place, monkeypatch, **behaviours):
    """Exit code of a run in whose step Ctrl-C is pressed."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.chdir(place.cwd)
    monkeypatch.setattr(running, "ignore_from_now_on", lambda: None)
    monkeypatch.setattr(running, step, interrupted)
    words = place.fake("toy", **{name.replace("_", " "): one for name, one in behaviours.items()})
    return main([str(word) for word in words])


def test_hang_up_ignored_goes_on(place):
    """Under ``nohup`` the end of the terminal changes nothing."""
    command = place.start(*place.fake("toy", seconds=0.5), confine=[("ignoring_hang_up",)])
    wait_for_records(command, place.cwd, 1)
    os.killpg(command.pid, signal.SIGHUP)
    assert command.wait(timeout=120) == 0, command.stdout + command.stderr
    assert set(runs.verdicts(place.run()).values()) == {"PASS"}


@pytest.mark.parametrize(
    ("workers", "way"), [(1, "terminate"), pytest.param(2, "closed terminal", marks=pytest.mark.nightly)]
)
def test_hanging_case_in_the_simulator(place, workers, way):
    """A case that hangs goes with its run, with the warm parent and the scratch folder."""
    send, number = WAYS[way]
    command = place.start(*place.sim("hang", "no-kernel", suite="toy-wrong", workers=workers))
    while not victims(command.pid)["child"]:
        assert command.poll() is None, command.stdout + command.stderr
        time.sleep(0.1)
    send(command.pid, number)
    assert command.wait(timeout=120) in (1, 3), command.stdout + command.stderr
    assert runs.verdicts(place.run())["hang"] == "NOT_RUN"
