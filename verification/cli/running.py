"""Making the folder of a run, running it, reporting: what ``run`` and ``replay`` share."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import sys
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import psutil

from bsa.messages import text
from reports import write_all
from verification.cli.progress import Display
from verification.cli.results import resuming
from verification.cli.summary import print_summary
from verification.errors import EnvironmentMissingError, UsageError
from verification.known.entry import KnownFailure
from verification.memory_pool import shareable
from verification.plan import Budget, Plan, PlanEntry, write_plan
from verification.provenance import provenance
from verification.runner import execute_plan
from verification.runs import OUT, Run, next_sequence, read_run
from verification.uninterrupted import ignore_from_now_on
from verification.verdicts import exit_code, final, interrupted_code

WORKER_BYTES = 3 << 30
"""Memory that one more worker is given when their number is chosen by us."""


def make_run(
    entries: tuple[PlanEntry, ...],
    *,
    folder: Path | None,
    argv: list[str],
    selection: Mapping[str, Any],
    pass_filter: str = "none",
    budget: Budget,
    backend: str = "sim",
    options: Mapping[str, Any] | None = None,
    known: tuple[KnownFailure, ...] = (),
    explain: bool = False,
) -> tuple[Path, Plan]:
    """Makes the folder of a new run and writes its plan.

    Raises:
        UsageError: the folder holds a run already.
        EnvironmentMissingError: the folder cannot be written.
    """
    run_id = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
    folder = folder or OUT / run_id
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
        known=known,
        selection=selection,
        sequence=next_sequence(folder),
        explain=explain,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(folder, plan)
    except FileExistsError as error:
        key = "cli.run.folder_taken" if folder.is_dir() else "cli.run.no_folder"
        raise UsageError(text(key, folder=folder, command=resuming(folder))) from error
    except OSError as error:
        raise EnvironmentMissingError(text("cli.run.cannot_write", folder=folder, why=error.strerror)) from error
    return folder, plan


def run_and_report(
    plan: Plan,
    folder: Path,
    *,
    argv: list[str],
    workers: int,
    resume: bool = False,
    verbose: bool = False,
    baseline: Run | None = None,
) -> int:
    """Executes a written plan, writes the report, prints the summary; returns the exit code.

    Raises:
        EnvironmentMissingError: something is missing, or the disk refused the records or the report.
    """
    display = Display(verbose=verbose)
    try:
        said = {**provenance(argv), "sequence": next_sequence(folder) if resume else plan.sequence}
        try:
            outcome = execute_plan(plan, folder, provenance=said, workers=workers, watcher=display, resume=resume)
        finally:
            display.close()
        run = read_run(folder)
        problem = outcome.problem or _write_reports(run)
        with contextlib.suppress(BrokenPipeError):
            print_summary(run, interrupted=outcome.interrupted, baseline=baseline)
            sys.stdout.flush()
    except KeyboardInterrupt:
        ignore_from_now_on()
        print(text("cli.error", message=text("cli.interrupted")), file=sys.stderr)
        return interrupted_code(exit_code(final(plan, read_run(folder).records)))
    if problem:
        raise EnvironmentMissingError(problem)
    return outcome.exit_code


def _write_reports(run: Run) -> str:
    """Writes the report; returns what the disk said against it, if anything."""
    try:
        write_all(run, run.path)
    except OSError as error:
        return text("cli.run.no_report", folder=run.path, why=error.strerror, quoted=shlex.quote(str(run.path)))
    return ""


def default_workers() -> int:
    """As many workers as there are cores, as long as each has room in memory."""
    room = psutil.virtual_memory().available // WORKER_BYTES
    return max(1, min(len(os.sched_getaffinity(0)), room))


def default_memory() -> int:
    """Memory budget of one case: all that the cases of a run may use together (:mod:`verification.memory_pool`)."""
    return max(1 << 30, shareable())
