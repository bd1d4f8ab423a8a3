"""``bsa-verify compare``: what changed between two runs."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from bsa.messages import text
from verification.cli.results import read_results
from verification.comparison import compare_runs
from verification.errors import UsageError
from verification.journal import JournalError
from verification.runs import OUT, Run, list_runs, read_run
from verification.verdicts import EXIT_FAILED, EXIT_PASSED, EXIT_USAGE

EXAMPLE = "bsa-verify compare out/before latest"
MAIN = "main"
"""The baseline that means: the newest finished run of a clean checkout of the branch ``main``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``compare``."""
    parser.add_argument("a", metavar="A", help=text("cli.compare.a"))
    parser.add_argument("b", metavar="B", help=text("cli.compare.b"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints the comparison; 1 if a case newly fails or became weaker, 2 if the runs have no case in common."""
    a, b = (read_results(name) for name in (arguments.a, arguments.b))
    comparison = compare_runs(a, b)
    print(comparison.to_text())
    if not comparison.common:
        return EXIT_USAGE
    return EXIT_FAILED if comparison.worse else EXIT_PASSED


def find_baseline(name: str | None, *, other_than: Path | None = None) -> Run | None:
    """The run that a baseline names: a RUN argument, ``main``, or None for none.

    Args:
        name: what the user gave.
        other_than: a run that cannot be its own baseline.

    Raises:
        UsageError: there is no such run, or it cannot be read.
    """
    if name is None:
        return None
    if name != MAIN:
        return read_results(name)
    for folder in reversed(list_runs()):
        if other_than is None or folder.resolve() != other_than.resolve():
            with contextlib.suppress(ValueError, JournalError):
                run = read_run(folder)
                if _is_main(run):
                    return run
    raise UsageError(text("cli.compare.no_main", out=OUT))


def _is_main(run: Run) -> bool:
    """Whether a run is finished, and of a clean checkout of the branch main."""
    finished = bool(run.events) and run.events[-1]["event"] == "finish"
    return finished and run.manifest.get("branch") == MAIN and run.manifest.get("dirty") is False
