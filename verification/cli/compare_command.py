"""``bsa-verify compare``: what changed between two runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from bsa.messages import text
from verification.comparison import compare_runs
from verification.errors import UsageError
from verification.runs import OUT, find_run, list_runs, read_run

EXAMPLE = "bsa-verify compare out/before latest"
MAIN = "main"
"""The baseline that means: the newest finished run of a clean checkout of the branch ``main``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``compare``."""
    parser.add_argument("a", metavar="A", help=text("cli.compare.a"))
    parser.add_argument("b", metavar="B", help=text("cli.compare.b"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints the comparison; 1 if a case newly fails or became weaker."""
    try:
        a, b = (read_run(find_run(name)) for name in (arguments.a, arguments.b))
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(str(error)) from error
    comparison = compare_runs(a, b)
    print(comparison.to_text())
    return 1 if comparison.worse else 0


def find_baseline(name: str, *, other_than: Path) -> Path:
    """The folder of a baseline: a RUN argument, or ``main``.

    Raises:
        UsageError: there is no such run.
    """
    if name != MAIN:
        try:
            return find_run(name)
        except FileNotFoundError as error:
            raise UsageError(str(error)) from error
    for folder in reversed(list_runs()):
        if folder.resolve() == other_than.resolve():
            continue
        run = read_run(folder)
        if run.manifest.get("branch") == MAIN and run.manifest.get("dirty") is False:
            return folder
    raise UsageError(text("cli.compare.no_main", out=OUT))
