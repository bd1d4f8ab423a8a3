"""After an edit: how many cases ``bsa-verify run --changed`` runs against how many execute it, and the first red one.

The folder needs runs whose records know what ran (``bsa-verify run``, the default suites, or those given). Each edit is
planted in the files of the folder's own tree and taken back again; the command, whose run goes elsewhere, is stopped
at its first failure.
*Execute* counts the cases whose last record ran a line of the edited statement, told from the records alone.

    python benchmarks/changed.py FOLDER
    python benchmarks/changed.py FOLDER --suite field published --edits 'forward, common path'
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from verification.changes.choosing import last_records
from verification.changes.ran import LINES, lines_from_words
from verification.dut import find_duts
from verification.selection import select

GOAL = 20.0
"""Seconds from the command's start to the first red case."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A text of one file that becomes another: a fault."""

    file: str
    find: str
    replace: str


EDITS = {
    "forward, one branch": Edit(
        file="bsa/kernels/forward.py",
        find="values = pypto.view(value, [block_kv, dim], [at, head_kv",
        replace="values = pypto.view(value, [block_kv, dim], [at * 0, head_kv",
    ),
    "forward, common path": Edit(
        file="bsa/kernels/forward.py",
        find="total = pypto.sum(weights, -1, True)  #",
        replace="total = pypto.sum(pypto.mul(weights, weights), -1, True)  #",
    ),
    "backward, common path": Edit(
        file="bsa/kernels/backward.py",
        find="d_weights = pypto.matmul(do, v, fp32, b_trans=True)",
        replace="d_weights = pypto.matmul(q, v, fp32, b_trans=True)",
    ),
    "backward, one branch": Edit(
        file="bsa/kernels/backward.py",
        find="add_to(sum_k, part_k, block_kv, units_kv, u)",
        replace="add_to(sum_k, sum_k, block_kv, units_kv, u)",
    ),
    "host, one layout": Edit(
        file="bsa/blocks.py",
        find="starts, columns = self.starts[:, None, None], head\n",
        replace="starts, columns = self.starts[:, None, None], head * 0\n",
    ),
    "host, every call": Edit(
        file="bsa/tables.py",
        find="attended = (number - 1) * keys.block + places[last, 2]",
        replace="attended = (number - 1) * keys.block + places[last, 2] // 2",
    ),
}


def main() -> int:
    """Prints a line per edit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a checkout with runs in its out/")
    parser.add_argument("--suite", nargs="+", default=[], help="suites to choose from; default: the default suites")
    parser.add_argument("--edits", nargs="+", default=list(EDITS), choices=list(EDITS))
    parser.add_argument("-n", "--workers", type=int, default=1)
    given = parser.parse_args()
    os.chdir(given.folder)
    entries = select(find_duts(), run_mode="sim", suites=given.suite, dut_names=[], cases=[])
    last = last_records([one.case_id for one in entries], backend="sim", out=Path("out"))
    print(f"{len(entries)} cases, {len(last)} of them with a record")
    print(f"{'edit':24}{'execute':>9}{'run':>6}{'new':>6}{'first red':>12}{'CPU s':>8}{'load':>7}")
    for name in given.edits:
        edit = EDITS[name]
        path = Path(edit.file)
        text = path.read_text(encoding="utf-8")
        lines = _lines(text, edit.find)
        seen = [one.record.measurement.ran.get(edit.file, {}).get(LINES, "") for one in last.values()]
        execute = sum(bool(lines & lines_from_words(words)) for words in seen)
        load = os.getloadavg()[0]
        try:
            path.write_text(text.replace(edit.find, edit.replace), encoding="utf-8")
            said, wall, cpu = _first_red(given, edit)
        finally:
            path.write_text(text, encoding="utf-8")
        run, new = said
        print(f"{name:24}{execute:9}{run:6}{new:6}{wall:10.1f} s{cpu:8.1f}{load:7.1f}", flush=True)
    return 0


def _lines(text: str, find: str) -> frozenset[int]:
    """Lines on which the text that is edited stands."""
    if find not in text:
        raise SystemExit(f"not there any more: {find}")
    return frozenset(number for number, line in enumerate(text.splitlines(), 1) if find.strip() in line)


def _first_red(given: argparse.Namespace, edit: Edit) -> tuple[tuple[int, int], float, float]:
    """How many cases the command chose, and the wall and CPU seconds until its first failure."""
    command = [sys.executable, "-m", "verification.cli", "run", "--changed", "-v", "-n", str(given.workers)]
    command += ["--suite", *given.suite] if given.suite else []
    chosen = (0, 0)
    began = time.monotonic()
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen([*command, "--out", f"{folder}/run"], stdout=subprocess.PIPE, text=True) as process,
    ):
        for line in process.stdout or ():
            if line.startswith("to run: "):
                words = line.split()
                chosen = int(words[2]), int(words[words.index("new") - 1])
            if "] FAIL " in line:
                wall, cpu = time.monotonic() - began, _spent(process.pid)
                process.send_signal(signal.SIGINT)
                break
        else:
            raise SystemExit(f"{edit.file}: nothing turned red")
        process.communicate()
    return chosen, wall, cpu


def _spent(pid: int) -> float:
    """CPU seconds of a process and all that it started, up to now."""
    process = psutil.Process(pid)
    found = 0.0
    for one in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            found += sum(one.cpu_times()[:4])
    return found


if __name__ == "__main__":
    sys.exit(main())
