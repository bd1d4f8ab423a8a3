"""``bsa-verify coverage``: which bins and pairs of the stimulus space the records of some runs prove."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from bsa.messages import text
from verification.cli.results import read_results
from verification.coverage import Coverage, measure, space_of
from verification.coverage.text import summary
from verification.dut import find_duts
from verification.errors import UsageError
from verification.runs import Run

EXAMPLE = "bsa-verify coverage latest"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the argument of ``coverage``."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help=text("cli.runs_argument"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints a few lines for each DUT and run mode."""
    runs = [read_results(name) for name in arguments.runs]
    print("\n\n".join([*map(summary, measured(runs)), *unmeasured(runs)]))
    return 0


def measured(runs: Sequence[Run]) -> Iterator[Coverage]:
    """The coverage of every DUT with a space and every run mode that the runs planned.

    Raises:
        UsageError: no DUT of these runs declares a space.
    """
    duts = find_duts()
    planned = dict.fromkeys((entry.case.dut, run.plan.run_mode) for run in runs for entry in run.plan.entries)
    declared = [(name, mode, space) for name, mode in planned if (space := space_of(duts, name)) is not None]
    if not declared:
        raise UsageError(text("error.no_space", duts=", ".join(sorted({name for name, _ in planned}))))
    for name, mode, space in declared:
        yield measure(space, name, mode, runs)


def unmeasured(runs: Sequence[Run]) -> Iterator[str]:
    """A line for every DUT of the runs that declares no space, with its reason if it gives one."""
    duts = find_duts()
    for name in dict.fromkeys(entry.case.dut for run in runs for entry in run.plan.entries):
        if space_of(duts, name) is None:
            why = getattr(duts.get(name), "why_no_space", None) or "coverage.why_no_space.undeclared"
            yield text("coverage.no_space", dut=name, why=text(why))
