"""``bsa-verify report``: writes the report of a run again."""

from __future__ import annotations

import argparse

from bsa.messages import text
from reports import write_all
from verification.cli.summary import print_summary
from verification.errors import UsageError
from verification.runs import find_run, read_run

EXAMPLE = "bsa-verify report latest"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the argument of ``report``."""
    parser.add_argument("run", metavar="RUN", help=text("cli.run_argument"))


def execute(arguments: argparse.Namespace) -> int:
    """Writes index.html, report.md, junit.xml and report.json into the run's folder."""
    try:
        run = read_run(find_run(arguments.run))
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(str(error)) from error
    write_all(run, run.path)
    print_summary(run)
    return 0
