"""``bsa-verify kernel-coverage``: which lines and paths of the kernels the cases of a run executed."""

from __future__ import annotations

import argparse
from pathlib import Path

from coverage.exceptions import CoverageException

from bsa.messages import text
from verification.cli.outlets import require_file
from verification.cli.results import read_results
from verification.errors import UsageError
from verification.shadow.columns import COLUMNS, EXECUTED, TRACED, KernelLines, LoopPaths, kernel_lines, loop_paths
from verification.shadow.coverage_file import write_coverage
from verification.shadow.words import lines_in_words

EXAMPLE = "bsa-verify kernel-coverage latest --data .coverage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``kernel-coverage``."""
    parser.add_argument("run", metavar="RUN", help=text("cli.run_argument"))
    parser.add_argument("--data", metavar="FILE", type=Path, default=None, help=text("cli.kernel-coverage.data"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints lines and paths, and writes coverage.py data if asked to."""
    if arguments.data is not None:
        require_file(arguments.data, option="--data")
    run = read_results(arguments.run)
    kernels = kernel_lines(run.records)
    if not kernels:
        raise UsageError(text("cli.kernel-coverage.none", run=arguments.run))
    for kernel in kernels:
        print(_lines(kernel))
    for one in loop_paths(run.records):
        print(_paths(one))
    if arguments.data is not None:
        try:
            write_coverage(kernels, arguments.data)
        except CoverageException as error:
            raise UsageError(text("error.cannot_write", option="--data", path=arguments.data, why=error)) from error
        for kernel in kernels:
            if kernel.path is None:
                print(text("cli.kernel-coverage.elsewhere", file=kernel.file))
        print(text("cli.kernel-coverage.written", file=arguments.data))
    return 0


def _lines(kernel: KernelLines) -> str:
    missing = lines_in_words(kernel.lines(TRACED) - kernel.lines(EXECUTED))
    lines = {column: len(kernel.lines(column)) for column in COLUMNS}
    arms = {f"{column}_arms": len(kernel.branches(column)) for column in COLUMNS}
    said = text("cli.kernel-coverage.lines", file=kernel.file, **lines, **arms)
    return said + (text("cli.kernel-coverage.missing", lines=missing) if missing else "")


def _paths(one: LoopPaths) -> str:
    paths = {column: len(one.paths(column)) for column in COLUMNS}
    said = text("cli.kernel-coverage.loop", loop=one.loop, **paths)
    return said + (text("cli.kernel-coverage.trips", trips=lines_in_words(one.trips)) if one.trips else "")
