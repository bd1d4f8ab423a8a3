"""Waiting for a run to get somewhere, and ending its processes at random moments."""

import os
import signal
import time
from pathlib import Path

import psutil

from verification.journal import read_journal


def wait_for_records(command, folder, number, seconds=600):
    """Waits until the run of a command below a folder's ``out`` has so many records."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and command.poll() is None:
        for plan in Path(folder).glob("out/*/plan.json"):
            if len(read_journal(plan.parent).records) >= number:
                return
        time.sleep(0.05)
    raise AssertionError(f"the run did not get so far:\n{command.stdout}\n{command.stderr}")


def outcome(run):
    """(case, verdict, digests of the outputs) of every attempt that was judged."""
    return {
        (record.case_id, record.verdict, tuple(output.digest for output in record.outputs))
        for record in run.records
        if record.verdict != "INFRA"
    }


def victims(controller):
    """The processes of a run by role: controller, worker, parent (the warm ones), child."""
    found = {"controller": [controller], "worker": [], "parent": [], "child": []}
    try:
        family = psutil.Process(controller).children(recursive=True)
    except psutil.NoSuchProcess:
        return found
    for process in family:
        role = _role(process)
        if role:
            found[role].append(process.pid)
    return found


def _role(process):
    try:
        words = " ".join(process.cmdline())
        if "exec(eval(sys.stdin.readline()))" in words:
            return "worker"
        if "select.select" in words:
            return "child"
        if "verification.backends.sim.parent" in words:
            mother = process.parent()
            of_parent = mother is not None and "verification.backends.sim.parent" in " ".join(mother.cmdline())
            return "child" if of_parent else "parent"
    except psutil.Error:
        pass
    return ""


def kill_one(command, role, rng):
    """Kills a random process of a role of a run, once there is one; says whether it did before the run ended."""
    while command.poll() is None:
        found = victims(command.pid)[role]
        if found:
            try:
                os.kill(rng.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
            return True
        time.sleep(0.02)
    return False


def children(pid):
    """Ids of the processes that a process's main thread has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def child_of(pid):
    """The forked child of a warm parent, once there is one that sleeps."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = children(pid)
        if found:
            time.sleep(0.5)
            return found[0]
        time.sleep(0.02)
    raise AssertionError("no child was forked")


def alive(pid):
    """Whether a process exists and is no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
