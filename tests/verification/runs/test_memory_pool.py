"""Cases run side by side as far as their estimates fit into memory together; one that does not fit waits."""

import contextlib
import os
import signal
import threading
import time
from datetime import datetime
from itertools import pairwise

import pytest

from tests.support import runs
from verification.memory_pool import UNIT, MemoryPool
from verification.plan import PLAN_FILE

GIB = 1 << 30


@pytest.fixture
def pool(tmp_path):
    """A pool of four units."""
    (tmp_path / PLAN_FILE).write_text("{}")
    return MemoryPool(tmp_path, 4 * UNIT)


def starts(pool, size, seconds=0.5):
    """Whether a case of this size starts within some time; and what ends it."""
    stack, started, end = contextlib.ExitStack(), threading.Event(), threading.Event()

    def run():
        with pool.reserved(size):
            started.set()
            end.wait()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    stack.callback(thread.join)
    stack.callback(end.set)
    return started.wait(seconds), started, stack


def test_what_fits_runs_side_by_side(pool):
    """Three units and one: no waiting."""
    with pool.reserved(3 * UNIT), pool.reserved(UNIT):
        pass


def test_what_does_not_fit_waits_for_room(pool):
    """Two beside three of four: it starts when the three are given back."""
    with pool.reserved(3 * UNIT):
        at_once, started, ending = starts(pool, 2 * UNIT)
        assert not at_once
    assert started.wait(60)
    ending.close()


def test_more_than_there_is_runs_alone(pool):
    """A case larger than the pool takes all of it, and the next one waits."""
    with pool.reserved(100 * UNIT):
        at_once, started, ending = starts(pool, 1)
        assert not at_once
    assert started.wait(60)
    ending.close()


def test_large_case_is_not_overtaken_for_ever(pool):
    """Who comes after a waiting case waits behind it, even if it would fit."""
    with pool.reserved(2 * UNIT):
        _, large, ending_large = starts(pool, 4 * UNIT)
        at_once, small, ending_small = starts(pool, UNIT)
        assert not at_once
        assert not large.is_set()
    assert large.wait(60)
    ending_large.close()
    assert small.wait(60)
    ending_small.close()


def test_killed_process_gives_back_what_it_had(pool):
    """SIGKILL of the holder frees its units."""
    pid = os.fork()
    if pid == 0:
        with pool.reserved(4 * UNIT):
            time.sleep(600)
        os._exit(0)
    at_once = True
    while at_once:
        at_once, started, ending = starts(pool, UNIT)
        if at_once:
            ending.close()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert started.wait(60)
    ending.close()


def test_file_system_without_locks_holds_nobody_up(tmp_path):
    """Nothing is held then, and the case runs."""
    with MemoryPool(tmp_path / "nowhere", UNIT).reserved(UNIT):
        ran = True
    assert ran


@pytest.mark.parametrize(("total", "together"), [(3 * GIB // 4, False), (4 * GIB, True)])
def test_workers_share_the_memory_of_the_machine(tmp_path, total, together):
    """Cases of half a GiB on two workers: one after another in 0.75 GiB, side by side in 4; all pass either way."""
    path = runs.behaviours(tmp_path, default="run", seconds=0.5)
    words = ("run", "--backend", "fake", "--behaviours", path, "--dut", "toy.double", "--suite", "toy-many", "-n", 2)
    cases = [f"many {n}" for n in range(1, 9)]
    confine = [("memory_available", total)]
    done = runs.bsa_verify(*words, "--cases", *cases, "--memory", "8G", cwd=tmp_path, confine=confine)
    assert done.returncode == 0, done.stdout + done.stderr
    spans = sorted(
        (datetime.fromisoformat(record.started), datetime.fromisoformat(record.finished))
        for record in runs.run_of(tmp_path).records
    )
    assert any(later < end for (_, end), (later, _) in pairwise(spans)) == together
