"""``bsa-verify holes``: the bins and pairs that no passed case has, and the cases that would close them."""

from __future__ import annotations

import argparse
from pathlib import Path

from bsa.messages import text
from stimuli.space import BUDGET
from verification.cli.coverage_command import measured
from verification.cli.outlets import require_run_folder
from verification.cli.results import read_results, resuming
from verification.cli.run_command import TIMEOUT
from verification.cli.running import default_memory, make_run
from verification.coverage import Coverage, space_of
from verification.coverage.closing import Closing, closing
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
    if arguments.out is not None and not arguments.close:
        raise UsageError(text("error.holes_out_alone", out=arguments.out))
    if arguments.close:
        require_run_folder(arguments.out)
    found = list(measured([read_results(name) for name in arguments.runs]))
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


def _closing(found: Coverage) -> Closing:
    duts = find_duts()
    space = space_of(duts, found.dut)
    if space is None:
        raise UsageError(text("error.no_space", duts=found.dut))
    return closing(found, space, duts[found.dut], prefix=SUITE)


def _plan(found: list[Coverage], arguments: argparse.Namespace) -> str:
    closed = [_closing(one) for one in found]
    left = [text("cli.holes.left", goal=goal_text(goal)) for one in closed for goal in one.left]
    derived = sum(state in (OPEN, FAILING) for one in found for state in one.derived.values())
    if derived:
        left.append(text("cli.holes.derived", count=derived))
    cases = [case for one in closed for case in one.cases]
    if not cases:
        return "\n".join([*left, text("cli.holes.none" if not left else "cli.holes.no_case")])
    folder, _ = make_run(
        tuple(PlanEntry(case=case, suites=(SUITE,)) for case in cases),
        folder=arguments.out,
        argv=arguments.argv,
        selection={"holes": arguments.runs},
        budget=Budget(seconds=TIMEOUT, bytes=default_memory()),
    )
    return "\n".join([*left, text("cli.holes.planned", count=len(cases), command=resuming(folder))])
