"""``bsa-verify replay``: runs one case again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bsa.messages import text
from stimuli.case import Case
from stimuli.errors import StimulusError
from verification.cli.doctor_command import require_environment
from verification.cli.run_command import PASS_FILTERS, TIMEOUT
from verification.cli.running import default_memory, make_run, run_and_report
from verification.cli.values import byte_size, positive_float
from verification.dut import find_duts
from verification.errors import UsageError
from verification.plan import Budget, PlanEntry
from verification.runs import find_run, read_run
from verification.selection import find_case, nearest

EXAMPLE = "bsa-verify replay 'published/S256 Sparse50'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``replay``."""
    parser.add_argument("case", metavar="CASE", help=text("cli.replay.case"))
    parser.add_argument("--run", metavar="RUN", default=None, help=text("cli.replay.run"))
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help=text("cli.run.out"))
    parser.add_argument("--passes", choices=PASS_FILTERS, default="none", help=text("cli.run.passes"))
    parser.add_argument("--timeout", type=positive_float, default=TIMEOUT, metavar="S", help=text("cli.run.timeout"))
    parser.add_argument("--memory", type=byte_size, default=None, metavar="SIZE", help=text("cli.run.memory"))


def execute(arguments: argparse.Namespace) -> int:
    """Runs the case in a new run of its own; the exit code is that of ``run``."""
    entry = _entry(arguments)
    require_environment()
    folder, plan = make_run(
        (entry,),
        folder=arguments.out,
        argv=arguments.argv,
        selection={"cases": [arguments.case]},
        pass_filter=arguments.passes,
        budget=Budget(seconds=arguments.timeout, bytes=arguments.memory or default_memory()),
    )
    return run_and_report(plan, folder, argv=arguments.argv, workers=1, verbose=True)


def _entry(arguments: argparse.Namespace) -> PlanEntry:
    """The case from a file, from a run's plan, or from the suites."""
    path = Path(arguments.case)
    if path.is_file():
        return _from_file(path)
    if arguments.run is not None:
        try:
            run = read_run(find_run(arguments.run))
        except (FileNotFoundError, ValueError) as error:
            raise UsageError(str(error)) from error
        for entry in run.plan.entries:
            if arguments.case in (entry.case_id, entry.case.name):
                return entry
        known = [entry.case_id for entry in run.plan.entries] + [entry.case.name for entry in run.plan.entries]
        hint = nearest(arguments.case, known)
        raise UsageError(text("error.no_case_of_run", run=run.plan.run_id, name=arguments.case, hint=hint))
    return find_case(find_duts(), arguments.case)


def _from_file(path: Path) -> PlanEntry:
    try:
        case = Case.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, StimulusError) as error:
        raise UsageError(f"CASE: {path}: {error}") from error
    if case.dut not in find_duts():
        raise UsageError(text("error.no_dut_of_file", path=path, dut=case.dut, hint=nearest(case.dut, find_duts())))
    return PlanEntry(case=case, suites=("replay",))
