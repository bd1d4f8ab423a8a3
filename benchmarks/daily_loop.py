"""From a saved kernel to the verdict: ``bsa-verify run --dut bsa.forward --suite smoke``, measured in one run.

The command runs as a user starts it, in a process of its own, ``--repeats`` times after one that is not counted. Wall
time is told apart from CPU seconds (user + system, children included), because only the second means something on a
machine that does something else as well. Where the time goes: *start* until the first case begins (imports, plan, warm
parents), *cases* until the last one has ended, *end* (report, exit).

    python benchmarks/daily_loop.py
    python benchmarks/daily_loop.py --repeats 5 --suite published
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from verification.runs import read_run
from verification.verdicts import EXIT_PASSED

GOAL = 20.0
"""Seconds of wall time on two cores with nothing else running (issue "The engine room")."""


@dataclass(frozen=True, kw_only=True)
class Loop:
    """One run of the command, in seconds."""

    wall: float
    cpu: float
    start: float
    cases: float
    end: float
    number: int
    """Cases run."""


def main() -> int:
    """Prints a line per run, then the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="runs that count")
    parser.add_argument("--suite", default="smoke")
    parser.add_argument("--dut", default="bsa.forward")
    parser.add_argument("-n", "--workers", type=int, default=2)
    given = parser.parse_args()
    print(f"{'':8}{'wall s':>8}{'CPU s':>8}{'start':>8}{'cases':>8}{'end':>8}{'load':>8}")
    loops = []
    for number in range(given.repeats + 1):
        load = os.getloadavg()[0]
        loop = measure("run", "--dut", given.dut, "--suite", given.suite, "-n", str(given.workers))
        print(_line("warm-up" if number == 0 else f"run {number}", loop) + f"{load:8.1f}", flush=True)
        loops += [loop] if number else []
    middle = Loop(
        **{name: statistics.median(getattr(loop, name) for loop in loops) for name in ("wall", "cpu", *_PARTS)},
        number=loops[0].number,
    )
    print(_line("median", middle))
    print(f"{middle.number} cases; {middle.cpu / middle.number:.2f} CPU s a case; goal: {GOAL:.0f} s of wall time")
    return 0


_PARTS = ("start", "cases", "end")


def measure(*arguments: str) -> Loop:
    """Runs ``bsa-verify ARGUMENTS`` in a folder of its own.

    Raises:
        SystemExit: it did not pass.
    """
    with TemporaryDirectory() as folder:
        before, began = _cpu(), time.time()
        command = [sys.executable, "-m", "verification.cli", *arguments, "--out", "run"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        ended, cpu = time.time(), _cpu() - before
        if done.returncode != EXIT_PASSED:
            raise SystemExit(done.stdout + done.stderr)
        records = read_run(Path(folder) / "run").records
    first = min(datetime.fromisoformat(record.started).timestamp() for record in records)
    last = max(datetime.fromisoformat(record.finished).timestamp() for record in records)
    return Loop(
        wall=ended - began, cpu=cpu, start=first - began, cases=last - first, end=ended - last, number=len(records)
    )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _line(name: str, loop: Loop) -> str:
    return f"{name:8}{loop.wall:8.1f}{loop.cpu:8.1f}{loop.start:8.1f}{loop.cases:8.1f}{loop.end:8.1f}"


if __name__ == "__main__":
    sys.exit(main())
