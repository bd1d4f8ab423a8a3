"""A death by memory is MEMORY, whoever noticed it: the budget, the kernel, an allocation, or the controller."""

import os
import signal
import time
from types import SimpleNamespace

import pytest

from stimuli.case import Case
from tests.support import runs
from tests.support.machine import memory_group
from verification import plugin
from verification.backends.observation import INTERRUPTED, OUT_OF_MEMORY
from verification.backends.sim import watch
from verification.journal import Journal
from verification.plan import Budget, Plan, PlanEntry
from verification.plugin import Controller

HOARD = ("run", "--dut", "toy.double", "--suite", "toy-wrong", "toy", "--cases", "memory", "rows 64", "-n", 1)
GIB = 1 << 30


@pytest.mark.parametrize("way", ["budget", "address space", "kernel"])
def test_hoarding_case_is_memory_and_the_next_one_passes(place, way):
    """By our budget, by a failing allocation, by the kernel's killer: MEMORY each time, and it costs that case only."""
    with memory_group(2 * GIB) as group:
        options, confine, words = {
            "budget": (("--memory", "1G"), (), "1.0 GiB was used up (--memory)"),
            "address space": (("--memory", "64G"), (("small_address_space", 4 * GIB),), "MemoryError"),
            "kernel": (("--memory", "64G"), group, "the kernel ended it for want of memory"),
        }[way if group else "budget"]
        done = place.bsa_verify(*HOARD, *options, confine=confine)
    assert done.returncode == 1, done.stdout + done.stderr
    run = place.run()
    assert runs.verdicts(run) == {"memory": "MEMORY", "rows 64": "PASS"}
    (record,) = (record for record in run.records if record.verdict == "MEMORY")
    assert words in record.reason


@pytest.mark.parametrize(("kills", "ended"), [((0, 1), OUT_OF_MEMORY), ((1, 1), INTERRUPTED)])
def test_kernels_own_count_tells_a_death_by_memory(monkeypatch, kills, ended):
    """SIGKILL with the kernel's counter risen is memory; without, somebody from outside."""
    counts = iter(kills)
    monkeypatch.setattr(watch, "oom_kills", lambda: next(counts))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    os.kill(pid, signal.SIGKILL)
    reader, writer = os.pipe()
    ending = watch.watch(pid, seconds=30.0, limit_bytes=GIB, connection=reader)
    os.close(reader)
    os.close(writer)
    assert ending.ended == ended
    assert ending.signal == signal.SIGKILL


@pytest.mark.parametrize(("rise", "verdict"), [(1, "MEMORY"), (0, "INFRA")])
def test_death_of_a_worker_by_memory(tmp_path, monkeypatch, rise, verdict):
    """A worker's death is MEMORY if the kernel ended a process for want of memory meanwhile, else INFRA."""
    counts = iter((5, 5 + rise, 5 + rise))
    monkeypatch.setattr(plugin, "oom_kills", lambda: next(counts))
    case = Case(dut="toy.double", params={}, name="one")
    budget = Budget(seconds=1.0, bytes=GIB)
    plan = Plan(
        run_id="run",
        created="",
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter="none",
        budget=budget,
        entries=(PlanEntry(case=case, suites=("toy",)),),
    )
    with Journal(tmp_path, "start", {}) as journal:
        controller = Controller(journal, plan, {case.id: range(1, 4)})
        controller.pytest_runtest_logreport(SimpleNamespace(nodeid=f"plan.json::{case.id}", when="???"))
        (record,) = journal.records
    assert record.verdict == verdict
    assert ("for want of memory" in record.reason) == bool(rise)
