"""``bsa-verify shrink``: from a failing case to a smaller one that fails in the same way."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

from bsa.messages import text
from stimuli.case import Case
from verification.backends import Backend, open_backend
from verification.cli.add_case_command import FILE, add_case
from verification.cli.doctor_command import require_environment
from verification.cli.outlets import require_file
from verification.cli.replay_command import find_entry
from verification.cli.run_command import TIMEOUT, read_behaviours
from verification.cli.running import default_memory
from verification.cli.values import byte_size, positive_float, positive_int
from verification.dut import Dut, find_duts
from verification.engine import run_case
from verification.plan import Budget, Plan, PlanEntry
from verification.record import Record
from verification.shrinking import Shrunk, shrink
from verification.user_cases import cases_folder
from verification.verdicts import EXIT_FAILED, EXIT_PASSED, FAILED

EXAMPLE = "bsa-verify shrink 'published/S512 Sparse70' --dut bsa.forward --run latest"
ATTEMPTS = 60
"""How many cases are run, by default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``shrink``."""
    parser.add_argument("case", metavar="CASE", help=text("cli.replay.case"))
    parser.add_argument("--dut", metavar="D", default=None, help=text("cli.replay.dut"))
    parser.add_argument("--run", metavar="RUN", default=None, help=text("cli.replay.run"))
    parser.add_argument(
        "--attempts", type=positive_int, default=ATTEMPTS, metavar="N", help=text("cli.shrink.attempts")
    )
    parser.add_argument("--out", type=Path, default=None, metavar="FILE", help=text("cli.shrink.out"))
    parser.add_argument("--add", action="store_true", help=text("cli.shrink.add"))
    parser.add_argument("--timeout", type=positive_float, default=TIMEOUT, metavar="S", help=text("cli.run.timeout"))
    parser.add_argument("--memory", type=byte_size, default=None, metavar="SIZE", help=text("cli.run.memory"))
    parser.add_argument("--backend", choices=("sim", "fake"), default="sim", help=text("cli.run.backend"))
    parser.add_argument("--behaviours", type=Path, default=None, metavar="FILE", help=text("cli.run.behaviours"))


def execute(arguments: argparse.Namespace) -> int:
    """Shrinks the case; 0 when it became smaller, 1 when it did not, or does not fail."""
    duts = find_duts()
    entry = find_entry(arguments, duts)
    options = read_behaviours(arguments.behaviours)
    require_file(arguments.out or _target(entry.case), option="--out")
    if arguments.add:
        require_file(cases_folder() / FILE, option="--add", make_folder=True)
    if arguments.backend == "sim":
        require_environment()
    backend = open_backend(arguments.backend, options)
    try:
        with tempfile.TemporaryDirectory() as folder:
            attempt = _Attempt(arguments, backend, duts[entry.case.dut], Path(folder), gates=entry.gates)
            first = attempt(entry.case)
            if first.verdict not in FAILED:
                print(text("cli.shrink.passes", case=entry.case.label, verdict=first.verdict))
                return EXIT_FAILED
            print(text("cli.shrink.start", case=entry.case.label, reason=first.reason), flush=True)
            found = shrink(entry.case, first, attempt, attempts=arguments.attempts, watch=_say)
    finally:
        backend.close()
    return _report(entry.case, found, arguments)


class _Attempt:
    """Runs cases in one warm parent, one after another."""

    def __init__(
        self, arguments: argparse.Namespace, backend: Backend, dut: Dut, folder: Path, *, gates: tuple[str, ...]
    ) -> None:
        self._arguments = arguments
        self._backend = backend
        self._dut = dut
        self._folder = folder
        self._gates = gates

    def __call__(self, case: Case) -> Record:
        entry = PlanEntry(case=case, suites=("shrink",), gates=self._gates)
        plan = Plan(
            run_id="shrink",
            created="",
            command=("bsa-verify", *self._arguments.argv),
            run_mode="sim",
            backend=self._arguments.backend,
            pass_filter="none",
            budget=Budget(seconds=self._arguments.timeout, bytes=self._arguments.memory or default_memory()),
            entries=(entry,),
        )
        return run_case(entry, self._backend, dut=self._dut, plan=plan, attempt=1, folder=self._folder)


def _say(case: Case, same: bool) -> None:  # noqa: FBT001 - the watcher's signature
    key = "cli.shrink.smaller" if same else "cli.shrink.unlike"
    print(text(key, params=json.dumps(case.params, ensure_ascii=False)), flush=True)


def _report(case: Case, found: Shrunk, arguments: argparse.Namespace) -> int:
    """Prints the smallest case, writes it where asked, offers to keep it."""
    if found.case.id == case.id:
        print(text("cli.shrink.nothing", count=found.attempts))
        return EXIT_FAILED
    key = "cli.shrink.minimal" if found.minimal else "cli.shrink.used_up"
    print(text(key, count=found.attempts, reason=found.record.reason))
    target = arguments.out or _target(found.case)
    data = json.dumps(found.case.to_json(), ensure_ascii=False, indent=1)
    print(data)
    quoted = shlex.quote(str(target))
    target.write_text(data + "\n", encoding="utf-8")
    print(text("cli.shrink.written", file=target, quoted=quoted))
    if arguments.add or _agreed():
        print(add_case(found.case))
    else:
        print(text("cli.shrink.offer", quoted=quoted))
    return EXIT_PASSED


def _target(case: Case) -> Path:
    """The file for a case where none is named."""
    return Path(f"{case.id}.json")


def _agreed() -> bool:
    """Asks whether to keep the case, where somebody can answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return input(text("cli.shrink.ask")).strip().lower() in ("y", "yes", "是")
