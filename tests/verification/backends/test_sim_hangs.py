"""Processes that stop answering: each costs one attempt, is ended, and the next case is served."""

import os
import signal
import threading

import pytest
from attempts import attempt

from tests.support.kills import alive, child_of
from verification.backends import open_backend
from verification.backends.sim import warm_parent


@pytest.fixture
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


@pytest.fixture
def impatient(monkeypatch):
    """A warm parent that does not answer is given up after two seconds; call it to be patient again."""
    monkeypatch.setattr(warm_parent, "GRACE_SECONDS", 2.0)
    return monkeypatch.undo


def stop_during_a_case(parent, seen):
    seen.append(child_of(parent))
    os.kill(parent, signal.SIGSTOP)


def test_warm_parent_that_hangs_during_a_case(backend, tmp_path, impatient):
    """The attempt is INFRA with its reason; parent and child are gone; the next case gets a new parent."""
    old, seen = backend.parent.pid, []
    stopper = threading.Thread(target=stop_during_a_case, args=(old, seen))
    stopper.start()
    record = attempt(backend, tmp_path, "toy.double", "hang", seconds=4.0)
    stopper.join()
    assert record.verdict == "INFRA"
    assert "did not answer in time" in record.reason
    assert not alive(old)
    assert not alive(seen[0])
    impatient()
    assert attempt(backend, tmp_path, "toy.double", "rows 64").verdict == "PASS"


def test_warm_parent_that_hangs_before_a_case(backend, tmp_path, impatient):
    """The same when it never begins."""
    old = backend.parent.pid
    os.kill(old, signal.SIGSTOP)
    record = attempt(backend, tmp_path, "toy.double", "no-kernel")
    assert record.verdict == "INFRA"
    assert "did not answer in time" in record.reason
    assert not alive(old)


def test_warm_parent_that_hangs_after_a_case(backend, tmp_path, impatient, monkeypatch):
    """The verdict stands, and the next case does not read the answer that the last one is owed."""
    old, finish = backend.parent.pid, backend.finish

    def stop_and_finish(keep):
        if backend.parent.pid == old:
            os.kill(old, signal.SIGSTOP)
        finish(keep)

    backend.finish = stop_and_finish
    scratch = backend.parent.case_folder.parent
    assert "no kernel task ran" in attempt(backend, tmp_path, "toy.double", "no-kernel").reason
    assert not alive(old)
    assert not scratch.exists()
    assert "no kernel task ran" in attempt(backend, tmp_path, "toy.double", "no-kernel").reason
    assert backend.parent.pid != old


def test_child_that_is_stopped(backend, tmp_path):
    """Whoever stops the child of a case uses up its time: TIMEOUT, and the stopped process is gone."""
    seen = []

    def stop():
        seen.append(child_of(backend.parent.pid))
        os.kill(seen[0], signal.SIGSTOP)

    assert backend.parent.running
    stopper = threading.Thread(target=stop)
    stopper.start()
    record = attempt(backend, tmp_path, "toy.double", "hang", seconds=3.0)
    stopper.join()
    assert record.verdict == "TIMEOUT"
    assert not alive(seen[0])
