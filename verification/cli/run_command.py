"""``bsa-verify run``: selects cases, writes the plan, runs it, reports."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bsa._pypto import never_built
from bsa.messages import text
from verification.backends import open_backend
from verification.cli.changed import only_changed
from verification.cli.compare_command import find_baseline
from verification.cli.doctor_command import require_environment
from verification.cli.options import add_selection, complain_of_broken
from verification.cli.running import default_memory, default_workers, make_run, run_and_report
from verification.cli.values import byte_size, positive_float, positive_int
from verification.dut import Duts, find_duts
from verification.errors import EnvironmentMissingError, UsageError
from verification.known.ledger import read_ledger
from verification.plan import Budget, Plan
from verification.runs import find_run, read_run
from verification.selection import DEFAULT_SUITES, nearest, select

EXAMPLE = "bsa-verify run --suite published --cases quick"
PASS_FILTERS = ("none", "default", "all")
TIMEOUT = 600.0
"""Seconds that one case may take, by default."""
FIXED_BY_PLAN: dict[str, Any] = {
    "changed": False,
    "since": None,
    "suite": [],
    "dut": [],
    "cases": [],
    "run_mode": "sim",
    "out": None,
    "passes": "none",
    "timeout": TIMEOUT,
    "memory": None,
    "backend": "sim",
    "behaviours": None,
    "known": None,
}
"""Options that a resumed run takes from its plan, with their defaults."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``run``."""
    add_selection(parser, suite_help=text("cli.run.suite", default=" ".join(DEFAULT_SUITES)))
    parser.add_argument("--run-mode", choices=("sim", "npu"), default="sim", help=text("cli.run.run_mode"))
    parser.add_argument("-n", "--workers", type=positive_int, default=None, metavar="N", help=text("cli.run.workers"))
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help=text("cli.run.out"))
    parser.add_argument("--changed", action="store_true", help=text("cli.run.changed"))
    parser.add_argument("--since", metavar="REV", default=None, help=text("cli.run.since"))
    parser.add_argument("--resume", metavar="RUN", default=None, help=text("cli.run.resume"))
    parser.add_argument("--baseline", metavar="RUN", default=None, help=text("cli.run.baseline"))
    parser.add_argument("--passes", choices=PASS_FILTERS, default="none", help=text("cli.run.passes"))
    parser.add_argument("--timeout", type=positive_float, default=TIMEOUT, metavar="S", help=text("cli.run.timeout"))
    parser.add_argument("--memory", type=byte_size, default=None, metavar="SIZE", help=text("cli.run.memory"))
    parser.add_argument("--backend", choices=("sim", "fake"), default="sim", help=text("cli.run.backend"))
    parser.add_argument("--behaviours", type=Path, default=None, metavar="FILE", help=text("cli.run.behaviours"))
    parser.add_argument("--known", type=Path, default=None, metavar="FILE", help=text("cli.run.known"))
    parser.add_argument("-v", "--verbose", action="store_true", help=text("cli.run.verbose"))


def execute(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code. What is wrong with the command is said before anything is written."""
    workers = arguments.workers or default_workers()
    if arguments.since is not None and not arguments.changed:
        raise UsageError(text("error.since_alone"))
    duts = find_duts()
    if arguments.resume is not None:
        folder, plan = _resumed(arguments, duts)
        baseline = find_baseline(arguments.baseline, other_than=folder)
        _require(plan.run_mode, plan.backend)
    else:
        baseline = find_baseline(arguments.baseline)
        folder, plan = _planned(arguments, duts)
    named = bool(arguments.resume is not None or arguments.cases)  # then the plan holds all that was asked for
    at_best = complain_of_broken(duts, [entry.case.dut for entry in plan.entries] if named else arguments.dut)
    code = run_and_report(
        plan,
        folder,
        argv=arguments.argv,
        workers=workers,
        resume=arguments.resume is not None,
        verbose=arguments.verbose,
        baseline=baseline,
    )
    return at_best or code


def _require(run_mode: str, backend: str) -> None:
    if run_mode == "npu":
        raise EnvironmentMissingError(text("cli.run.no_npu"))
    if backend == "sim":
        require_environment()
        if never_built():
            print(text("cli.run.building"), flush=True)


def _planned(arguments: argparse.Namespace, duts: Duts) -> tuple[Path, Plan]:
    """A new run: what it asks for, checked, then written."""
    entries = select(
        duts,
        run_mode=arguments.run_mode,
        suites=arguments.suite,
        dut_names=arguments.dut,
        cases=arguments.cases,
    )
    selection = {"suites": arguments.suite, "duts": arguments.dut, "cases": arguments.cases}
    if arguments.changed:
        words = {"since": arguments.since, "backend": arguments.backend, "run_mode": arguments.run_mode}
        entries = only_changed(entries, duts, **words)
        selection["changed"] = [arguments.since] if arguments.since else []
    options = read_behaviours(arguments.behaviours)
    known = read_ledger(arguments.known)
    _require(arguments.run_mode, arguments.backend)
    return make_run(
        entries,
        folder=arguments.out,
        argv=arguments.argv,
        selection=selection,
        pass_filter=arguments.passes,
        budget=Budget(seconds=arguments.timeout, bytes=arguments.memory or default_memory()),
        backend=arguments.backend,
        options=options,
        known=known,
    )


def read_behaviours(path: Path | None) -> dict[str, Any]:
    """Settings of the ``fake`` backend from a JSON file."""
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        open_backend("fake", found).close()
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"--behaviours: {path}: {error}") from error
    return dict(found)


def _resumed(arguments: argparse.Namespace, duts: Duts) -> tuple[Path, Plan]:
    """A run to go on with; its plan decides everything but the number of workers."""
    given = [name for name, default in FIXED_BY_PLAN.items() if getattr(arguments, name) != default]
    if given:
        names = " ".join(f"--{name.replace('_', '-')}" for name in given)
        raise UsageError(text("cli.run.resume_alone", names=names))
    try:
        folder = find_run(arguments.resume)
        plan = read_run(folder).plan
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(str(error)) from error
    for name in dict.fromkeys(entry.case.dut for entry in plan.entries):
        if name in duts.broken:
            raise EnvironmentMissingError(duts.broken[name])
        if name not in duts:
            known, hint = ", ".join(sorted(duts)), nearest(name, duts)
            raise UsageError(text("error.none_of", what=f"--resume {folder}: DUT", name=name, known=known, hint=hint))
    return folder, plan
