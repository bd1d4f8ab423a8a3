"""``bsa-verify replay``: runs one case again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bsa.messages import text
from stimuli.case import Case
from stimuli.errors import StimulusError
from verification.cli.doctor_command import require_environment
from verification.cli.explaining import explanation
from verification.cli.results import read_results
from verification.cli.run_command import PASS_FILTERS, TIMEOUT
from verification.cli.running import default_memory, make_run, run_and_report
from verification.cli.values import byte_size, positive_float
from verification.dut import Duts, Explainable, find_duts
from verification.errors import EnvironmentMissingError, UsageError
from verification.known.ledger import read_ledger
from verification.plan import Budget, PlanEntry
from verification.runs import Run, read_run
from verification.selection import UnknownNameError, find_case, nearest, one_case

EXAMPLE = "bsa-verify replay 'bsa.forward:S256 Sparse50'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``replay``."""
    parser.add_argument("case", metavar="CASE", help=text("cli.replay.case"))
    parser.add_argument("--dut", metavar="D", default=None, help=text("cli.replay.dut"))
    parser.add_argument("--run", metavar="RUN", default=None, help=text("cli.replay.run"))
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help=text("cli.run.out"))
    parser.add_argument("--passes", choices=PASS_FILTERS, default="none", help=text("cli.run.passes"))
    parser.add_argument("--known", type=Path, default=None, metavar="FILE", help=text("cli.run.known"))
    parser.add_argument("--explain", action="store_true", help=text("cli.replay.explain"))
    parser.add_argument("--timeout", type=positive_float, default=TIMEOUT, metavar="S", help=text("cli.run.timeout"))
    parser.add_argument("--memory", type=byte_size, default=None, metavar="SIZE", help=text("cli.run.memory"))


def execute(arguments: argparse.Namespace) -> int:
    """Runs the case in a new run of its own; ledger of known failures and exit code are those of ``run``."""
    duts = find_duts()
    entry = find_entry(arguments, duts)
    known = read_ledger(arguments.known)
    require_environment()
    folder, plan = make_run(
        (entry,),
        folder=arguments.out,
        argv=arguments.argv,
        selection={"cases": [arguments.case]},
        pass_filter=arguments.passes,
        budget=Budget(seconds=arguments.timeout, bytes=arguments.memory or default_memory()),
        known=known,
        explain=arguments.explain,
    )
    code = run_and_report(plan, folder, argv=arguments.argv, workers=1, verbose=True)
    if arguments.explain:
        for record in read_run(folder).records[-1:]:
            declared = isinstance(duts[record.case["dut"]], Explainable)
            print("\n".join(explanation(record, declared=declared)), flush=True)
    return code


def find_entry(arguments: argparse.Namespace, duts: Duts) -> PlanEntry:
    """The case that CASE, ``--dut`` and ``--run`` name; its DUT can be used.

    Args:
        arguments: with ``case``, ``dut`` and ``run``.
        duts: every DUT there is.

    Raises:
        UsageError: nothing fits, or several do, or the file holds no case.
        EnvironmentMissingError: its DUT cannot be used.
    """
    entry = _entry(arguments, duts)
    _require_dut(duts, entry.case.dut)
    return entry


def _entry(arguments: argparse.Namespace, duts: Duts) -> PlanEntry:
    """The case from a file, from a run's plan, or from the suites."""
    path = Path(arguments.case)
    if path.is_file():
        return _from_file(path)
    if arguments.run is not None:
        return _from_run(read_results(arguments.run), arguments)
    return find_case(duts, arguments.case, dut_names=[arguments.dut] if arguments.dut else [])


def _from_run(run: Run, arguments: argparse.Namespace) -> PlanEntry:
    """The case of a run's plan that a name, an id or the start of one fits."""
    entries = [entry for entry in run.plan.entries if arguments.dut in (None, entry.case.dut)]
    try:
        return one_case(entries, arguments.case)
    except UnknownNameError as error:
        words = {"run": run.plan.run_id, "name": arguments.case, "hint": error.hint}
        raise UsageError(text("error.no_case_of_run", **words)) from error


def _from_file(path: Path) -> PlanEntry:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            data.pop("suites", None)  # a line of `list --json`
        case = Case.from_json(data)
    except (OSError, ValueError, StimulusError, RecursionError) as error:
        raise UsageError(f"CASE: {path}: {error}") from error
    return PlanEntry(case=case, suites=("replay",))


def _require_dut(duts: Duts, name: str) -> None:
    """Refuses a case of a file or of another machine's run whose DUT is not here."""
    if name in duts.broken:
        raise EnvironmentMissingError(duts.broken[name])
    if name not in duts:
        raise UsageError(text("error.no_dut_of_case", dut=name, hint=nearest(name, duts)))
