"""``bsa-verify run``: selects cases, writes the plan, runs it, reports."""

from __future__ import annotations

import argparse
import json
import os
import secrets
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import psutil

from bsa.messages import text
from reports import write_all
from verification.backends import open_backend
from verification.cli.doctor_command import require_environment
from verification.cli.progress import Display
from verification.cli.summary import print_summary
from verification.cli.values import byte_size, positive_float, positive_int
from verification.dut import find_duts
from verification.errors import EnvironmentMissingError, UsageError
from verification.plan import PLAN_FILE, Budget, Plan, PlanEntry
from verification.provenance import provenance
from verification.runner import execute_plan
from verification.runs import OUT, find_run, read_run
from verification.selection import DEFAULT_SUITES, select
from verification.verdicts import EXIT_ENVIRONMENT

EXAMPLE = "bsa-verify run --suite published --cases quick"
PASS_FILTERS = ("none", "default", "all")
WORKER_BYTES = 3 << 30
"""Memory that one more worker is given when their number is chosen by us."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``run``."""
    default = " ".join(DEFAULT_SUITES)
    parser.add_argument("--suite", nargs="+", default=[], metavar="S", help=text("cli.run.suite", default=default))
    parser.add_argument("--dut", nargs="+", default=[], metavar="D", help=text("cli.run.dut"))
    parser.add_argument("--cases", nargs="+", default=[], metavar="NAME", help=text("cli.run.cases"))
    parser.add_argument("--run-mode", choices=("sim", "npu"), default="sim", help=text("cli.run.run_mode"))
    parser.add_argument("-n", "--workers", type=positive_int, default=None, metavar="N", help=text("cli.run.workers"))
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help=text("cli.run.out"))
    parser.add_argument("--resume", metavar="RUN", default=None, help=text("cli.run.resume"))
    parser.add_argument("--baseline", metavar="RUN", default=None, help=text("cli.run.baseline"))
    parser.add_argument("--passes", choices=PASS_FILTERS, default="none", help=text("cli.run.passes"))
    parser.add_argument("--timeout", type=positive_float, default=600.0, metavar="S", help=text("cli.run.timeout"))
    parser.add_argument("--memory", type=byte_size, default=None, metavar="SIZE", help=text("cli.run.memory"))
    parser.add_argument("--backend", choices=("sim", "fake"), default="sim", help=text("cli.run.backend"))
    parser.add_argument("--behaviours", type=Path, default=None, metavar="FILE", help=text("cli.run.behaviours"))
    parser.add_argument("-v", "--verbose", action="store_true", help=text("cli.run.verbose"))


def execute(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    if arguments.run_mode == "npu":
        raise EnvironmentMissingError(text("cli.run.no_npu"))
    if arguments.backend == "sim":
        require_environment()
    if arguments.resume is not None:
        folder, plan = _resumed(arguments)
    else:
        folder, plan = _planned(arguments)
    baseline = _baseline(arguments, folder)
    return run_and_report(
        plan,
        folder,
        argv=arguments.argv,
        workers=arguments.workers or default_workers(),
        resume=arguments.resume is not None,
        verbose=arguments.verbose,
        baseline=baseline,
    )


def run_and_report(
    plan: Plan,
    folder: Path,
    *,
    argv: list[str],
    workers: int,
    resume: bool = False,
    verbose: bool = False,
    baseline: Path | None = None,
) -> int:
    """Executes a written plan, writes the report, prints the summary; returns the exit code."""
    display = Display(verbose=verbose)
    try:
        outcome = execute_plan(
            plan, folder, provenance=provenance(argv), workers=workers, watcher=display, resume=resume
        )
    finally:
        display.close()
    run = read_run(folder)
    write_all(run, folder)
    print_summary(run, interrupted=outcome.interrupted, baseline=baseline)
    if outcome.exit_code == EXIT_ENVIRONMENT:
        raise EnvironmentMissingError(outcome.problem)
    return outcome.exit_code


def write_plan(
    entries: tuple[PlanEntry, ...],
    *,
    folder: Path | None,
    argv: list[str],
    selection: Mapping[str, Any],
    pass_filter: str = "none",
    budget: Budget,
    backend: str = "sim",
    options: Mapping[str, Any] | None = None,
) -> tuple[Path, Plan]:
    """Makes the folder of a new run and writes its plan.

    Raises:
        UsageError: the folder holds a run already.
        EnvironmentMissingError: the folder cannot be written.
    """
    run_id = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
    folder = folder or OUT / run_id
    if (folder / PLAN_FILE).exists():
        raise UsageError(text("cli.run.folder_taken", folder=folder))
    plan = Plan(
        run_id=run_id,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=("bsa-verify", *argv),
        run_mode="sim",
        backend=backend,
        options=options or {},
        pass_filter=pass_filter,
        budget=budget,
        entries=entries,
        selection=selection,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PLAN_FILE).write_text(plan.to_text(), encoding="utf-8")
    except OSError as error:
        raise EnvironmentMissingError(text("cli.run.cannot_write", folder=folder, why=error.strerror)) from error
    return folder, plan


def default_workers() -> int:
    """As many workers as there are cores, as long as each has room in memory."""
    room = psutil.virtual_memory().available // WORKER_BYTES
    return max(1, min(len(os.sched_getaffinity(0)), room))


def default_memory(workers: int = 1) -> int:
    """Memory budget of one case: its share of what is available now, less a reserve."""
    return max(1 << 30, int(psutil.virtual_memory().available * 0.8) // workers)


def _planned(arguments: argparse.Namespace) -> tuple[Path, Plan]:
    entries = select(
        find_duts(),
        run_mode=arguments.run_mode,
        suites=arguments.suite,
        dut_names=arguments.dut,
        cases=arguments.cases,
    )
    selection = {"suites": arguments.suite, "duts": arguments.dut, "cases": arguments.cases}
    return write_plan(
        entries,
        folder=arguments.out,
        argv=arguments.argv,
        selection=selection,
        pass_filter=arguments.passes,
        budget=Budget(
            seconds=arguments.timeout, bytes=arguments.memory or default_memory(arguments.workers or default_workers())
        ),
        backend=arguments.backend,
        options=_behaviours(arguments.behaviours),
    )


def _behaviours(path: Path | None) -> dict[str, Any]:
    """Settings of the ``fake`` backend from a JSON file."""
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        open_backend("fake", found).close()
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"--behaviours: {path}: {error}") from error
    return dict(found)


def _resumed(arguments: argparse.Namespace) -> tuple[Path, Plan]:
    if arguments.suite or arguments.dut or arguments.cases or arguments.out:
        raise UsageError(text("cli.run.resume_alone"))
    try:
        folder = find_run(arguments.resume)
        return folder, read_run(folder).plan
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(str(error)) from error


def _baseline(arguments: argparse.Namespace, folder: Path) -> Path | None:
    if arguments.baseline is None:
        return None
    from verification.cli.compare_command import find_baseline

    return find_baseline(arguments.baseline, other_than=folder)
