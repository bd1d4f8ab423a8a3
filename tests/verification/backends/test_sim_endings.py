"""What a DUT can do to its process costs its case only, and is recorded for what it is."""

import os
import signal
import threading

import pytest

from tests.support.kills import alive, child_of
from verification.backends import open_backend
from verification.dut import find_duts
from verification.engine import run_case
from verification.plan import Budget, Plan, PlanEntry


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


def attempt(backend, folder, name, *, suite="toy-wrong", seconds=60.0, bytes_=2 << 30):
    dut = find_duts()["toy.double"]
    spec = next(spec for spec in dut.suites() if spec.name == suite)
    case = next(case for case in spec.cases if case.name == name)
    entry = PlanEntry(case=case, suites=(suite,))
    plan = Plan(
        run_id="test",
        created="",
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter="none",
        budget=Budget(seconds=seconds, bytes=bytes_),
        entries=(entry,),
    )
    return run_case(entry, backend, dut=dut, plan=plan, attempt=1, folder=folder)


def test_real_kernel_passes_with_its_figures(backend, tmp_path):
    """A DUT of another distribution runs on the real simulator and is measured."""
    record = attempt(backend, tmp_path, "rows 128", suite="toy")
    assert record.verdict == "PASS", record.reason
    assert record.measurement.tasks > 0
    assert record.measurement.model_us > 0
    assert {"trace", "passes", "interpreter", "model"} <= set(record.measurement.stages)
    assert record.measurement.peak_bytes > 50 << 20
    assert record.outputs[0].checks
    assert [path.name for path in tmp_path.iterdir()] == ["sources"]


@pytest.mark.parametrize(
    ("name", "verdict", "words"),
    [
        ("segfault", "CRASH", "signal 11"),
        ("exit", "CRASH", "exit code 7"),
        ("raise", "FAIL", "RuntimeError: declared failure"),
        ("edit-input", "FAIL", "changed its input x"),
        ("alias", "FAIL", "storage"),
        ("no-kernel", "FAIL", "no kernel task ran"),
    ],
)
def test_misbehaviour_is_named(backend, tmp_path, name, verdict, words):
    """Each misbehaviour gives its own verdict and says what happened."""
    record = attempt(backend, tmp_path, name)
    assert record.verdict == verdict
    failed = [record.reason, *(check.detail for check in record.integrity if not check.passed)]
    assert any(words in text for text in failed), failed
    assert (tmp_path / record.artefacts / "case" / "stderr.txt").exists()


def test_reason_is_one_line_and_the_rest_is_kept(backend, tmp_path):
    """An exception of many lines gives a reason of one; the record keeps the others."""
    record = attempt(backend, tmp_path, "raise")
    assert record.reason == "raised RuntimeError: declared failure …"
    assert "with details\non more lines" in record.stderr_tail


def test_hang_is_ended_by_the_time_budget(backend, tmp_path):
    """A hanging case is a TIMEOUT that names the budget."""
    record = attempt(backend, tmp_path, "hang", seconds=1.5)
    assert record.verdict == "TIMEOUT"
    assert "2 s (--timeout)" in record.reason


def test_memory_is_ended_by_the_memory_budget(backend, tmp_path):
    """A hoarding case is MEMORY, never INFRA."""
    record = attempt(backend, tmp_path, "memory", bytes_=1200 << 20)
    assert record.verdict == "MEMORY"
    assert "1.2 GiB was used up (--memory)" in record.reason


def test_too_large_case_is_refused_before_it_runs(backend, tmp_path):
    """A capacity refusal that nobody expected is NOT_RUN with the figure."""
    record = attempt(backend, tmp_path, "huge", suite="toy-huge")
    assert record.verdict == "NOT_RUN"
    assert "1000000.0 GiB" in record.reason


def test_backend_serves_after_every_ending(backend, tmp_path):
    """After all that, the next case passes."""
    assert attempt(backend, tmp_path, "rows 64", suite="toy").verdict == "PASS"


def test_kill_from_outside_is_infra(backend, tmp_path):
    """A SIGKILL that neither we nor the memory budget explains is INFRA: recorded, not judged."""
    killer = threading.Thread(target=kill_child, args=(backend.parent.pid,))
    killer.start()
    record = attempt(backend, tmp_path, "hang", seconds=30.0)
    killer.join()
    assert record.verdict == "INFRA"
    assert "signal 9" in record.reason


def test_killed_warm_parent_is_infra_and_replaced(backend, tmp_path):
    """The death of the warm parent costs one attempt; the next one gets a new parent, and no child is left."""
    old = backend.parent.pid
    seen = []
    killer = threading.Thread(target=kill_parent, args=(old, seen))
    killer.start()
    record = attempt(backend, tmp_path, "hang", seconds=30.0)
    killer.join()
    assert record.verdict == "INFRA"
    assert "warm parent died" in record.reason
    assert attempt(backend, tmp_path, "rows 64", suite="toy").verdict == "PASS"
    assert backend.parent.pid != old
    assert not alive(seen[0])


def test_no_scratch_is_left(tmp_path):
    """Closing the backend removes its scratch folder and its process."""
    backend = open_backend("sim", {})
    assert attempt(backend, tmp_path, "rows 64", suite="toy").verdict == "PASS"
    pid, scratch = backend.parent.pid, backend.parent.case_folder.parent
    assert scratch.is_dir()
    backend.close()
    assert not scratch.exists()
    assert not alive(pid)


def kill_child(parent):
    os.kill(child_of(parent), signal.SIGKILL)


def kill_parent(parent, seen):
    seen.append(child_of(parent))
    os.kill(parent, signal.SIGKILL)
