"""``bsa-verify merge``: one report over several runs, for example of several machines or of several suites."""

from __future__ import annotations

import argparse
from pathlib import Path

from bsa.messages import text
from reports import write_all
from verification.cli.outlets import require_folder
from verification.cli.results import results_folder
from verification.cli.summary import print_counts
from verification.errors import UsageError
from verification.merging import MergeConflictError, merge_runs
from verification.runs import OUT, read_run

EXAMPLE = "bsa-verify merge out/monday out/tuesday --out out/both"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``merge``."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help=text("cli.run_argument"))
    parser.add_argument("--out", type=Path, default=OUT / "merged", metavar="DIR", help=text("cli.merge.out"))


def execute(arguments: argparse.Namespace) -> int:
    """Writes the four reports of the union of the runs' records; the runs themselves stay as they are."""
    require_folder(arguments.out, option="--out")
    try:
        runs = [read_run(folder) for folder in dict.fromkeys(results_folder(name).resolve() for name in arguments.runs)]
        run = merge_runs(runs)
    except (FileNotFoundError, MergeConflictError, ValueError) as error:
        raise UsageError(str(error)) from error
    pages = write_all(run, arguments.out)
    print_counts(run)
    print(text("cli.summary.report", path=pages[0]))
    return 0
