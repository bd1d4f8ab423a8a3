"""``bsa-verify report``: writes the report of a run again."""

from __future__ import annotations

import argparse

from bsa.messages import text
from reports import write_all
from verification.cli.results import read_results
from verification.cli.summary import print_summary

EXAMPLE = "bsa-verify report latest"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the argument of ``report``."""
    parser.add_argument("run", metavar="RUN", help=text("cli.run_argument"))


def execute(arguments: argparse.Namespace) -> int:
    """Writes index.html, report.md, junit.xml and report.json into the run's folder."""
    run = read_results(arguments.run)
    write_all(run, run.path)
    print_summary(run)
    return 0
