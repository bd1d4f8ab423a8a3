"""What recording, replaying and sanitizing add to a case in sim, in CPU seconds (user + system, children included).

Each figure is the median over children forked in turn, with and without, from one process that has loaded PyPTO and
compiled nothing; a child runs the calls of a case as a case's child does. The cross-check happens in the worker from
files that are read anyway, and is timed apart.

    python benchmarks/shadow.py
    python benchmarks/shadow.py --repeats 9 --dut bsa.backward
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bsa._pypto import load, read_launch, simulate
from verification.dut import Call, find_duts
from verification.shadow import Recording, crosscheck, record
from verification.shadow.account import Account, account

CASES = (
    ("bsa.forward", "S256 Sparse50"),
    ("bsa.forward", "S1024 Sparse30"),
    ("bsa.backward", "S256 Sparse50"),
    ("bsa.backward", "S1024 Sparse30"),
)


def main() -> int:
    """Prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="children of each kind; the median is printed")
    parser.add_argument("--dut", nargs="+", default=sorted({name for name, _ in CASES}), help="only these")
    given = parser.parse_args()
    repeats = given.repeats
    os.environ["OMP_NUM_THREADS"] = "1"
    load()
    duts = find_duts()
    print(f"{'case':32} {'without':>9} {'with':>9} {'added':>7} {'replay':>8} {'cross-check':>12}")
    for name, title in [one for one in CASES if one[0] in given.dut]:
        dut = duts[name]
        case = next(one for spec in dut.suites() for one in spec.cases if one.name == title)
        figures: dict[bool, list[float]] = {False: [], True: []}
        parts: list[tuple[float, float]] = []
        for _ in range(repeats):
            for watched in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    figures[watched].append(child(dut, case, Path(folder), watched=watched))
                    if watched:
                        parts.append(check(Path(folder)))
        without, with_ = (statistics.median(figures[one]) for one in (False, True))
        replaying, checking = (statistics.median(column) for column in zip(*parts, strict=True))
        print(
            f"{name + ' ' + title:32} {without:9.2f} {with_:9.2f} {with_ / without - 1:7.1%} "
            f"{replaying * 1000:6.0f} ms {checking * 1000:9.1f} ms"
        )
    return 0


def child(dut: Any, case: Any, folder: Path, *, watched: bool) -> float:
    """CPU seconds of a forked child that runs the calls of a case."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            run(dut, case, folder, watched=watched)
            code = 0
        finally:
            os._exit(code)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"the child for {case.name} ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def run(dut: Any, case: Any, folder: Path, *, watched: bool) -> None:
    """Runs the calls of a case in this process, and leaves the accounts of its launches in the folder."""
    recording = Recording()
    with simulate(output_dir=folder), record(recording) if watched else nullcontext():
        for stimulus in dut.stimuli(case):
            dut.call(stimulus, Call())
    begin = time.process_time()
    accounts = [account(one).to_json() for one in recording]
    spent = time.process_time() - begin
    (folder / "accounts.json").write_text(json.dumps({"accounts": accounts, "seconds": spent}))


def check(folder: Path) -> tuple[float, float]:
    """CPU seconds of the replays, and of comparing them with what the launches left."""
    data = json.loads((folder / "accounts.json").read_text())
    launches = [read_launch(path) for path in sorted(folder.glob("output_*"))]
    begin = time.process_time()
    for one, launch in zip(map(Account.from_json, data["accounts"]), launches, strict=True):
        if (difference := crosscheck(one.roots, launch)) is not None:
            raise RuntimeError(str(difference))
    return data["seconds"], time.process_time() - begin


if __name__ == "__main__":
    sys.exit(main())
