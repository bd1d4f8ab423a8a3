"""``bsa-verify holes``: the bins and pairs that no passed case has, and the cases that would close them."""

from __future__ import annotations

import argparse
from pathlib import Path

from bsa.messages import text
from stimuli.case import Case
from stimuli.space import BUDGET
from stimuli.space.topup import top_up
from verification.cli.coverage_command import measured, read_runs
from verification.cli.run_command import TIMEOUT
from verification.cli.running import default_memory, make_run
from verification.coverage import Coverage, space_of
from verification.coverage.measure import FAILING, OPEN
from verification.coverage.text import capacity_lines, goal_text
from verification.dut import find_duts
from verification.errors import UsageError
from verification.plan import Budget, PlanEntry

EXAMPLE = "bsa-verify holes latest --close"
SUITE = "holes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``holes``."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help=text("cli.runs_argument"))
    parser.add_argument("--close", action="store_true", help=text("cli.holes.close"))
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help=text("cli.run.out"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints a line a hole and a line a capacity rule; with ``--close``, plans the cases that close those of sim."""
    found = list(measured(read_runs(arguments.runs)))
    for one in found:
        for goal, state in _holes(one):
            print("\t".join((one.dut, one.run_mode, state, goal_text(goal))))
        for line in capacity_lines(one):
            print(f"{one.dut}\t{one.run_mode}\t{BUDGET}\t{line}")
    if arguments.close:
        print(_plan([one for one in found if one.run_mode == "sim"], arguments))
    return 0


def _holes(found: Coverage) -> list[tuple[tuple[tuple[str, str], ...], str]]:
    wanted = (OPEN, FAILING)
    bins = [((one,), state) for one, state in {**found.bins, **found.derived}.items() if state in wanted]
    return [*bins, *((pair, state) for pair, state in found.pairs.items() if state in wanted)]


def closing_cases(found: Coverage) -> tuple[Case, ...]:
    """The cases that meet every open pair of a DUT. What fails is no matter of more cases."""
    space = space_of(find_duts(), found.dut)
    if space is None:
        raise UsageError(text("error.no_space", duts=found.dut))
    rows = top_up(space, found.run_mode, [pair for pair, state in found.pairs.items() if state == OPEN])
    return tuple(space.case(found.dut, row, name=f"{SUITE}/{number}") for number, row in enumerate(rows))


def _plan(found: list[Coverage], arguments: argparse.Namespace) -> str:
    cases = [case for one in found for case in closing_cases(one)]
    if not cases:
        return text("cli.holes.none")
    folder, _ = make_run(
        tuple(PlanEntry(case=case, suites=(SUITE,)) for case in cases),
        folder=arguments.out,
        argv=arguments.argv,
        selection={"holes": arguments.runs},
        budget=Budget(seconds=TIMEOUT, bytes=default_memory()),
    )
    return text("cli.holes.planned", count=len(cases), folder=folder)
