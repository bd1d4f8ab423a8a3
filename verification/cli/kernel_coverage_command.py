"""``bsa-verify kernel-coverage``: which lines and paths of the kernels the cases of a run executed."""

from __future__ import annotations

import argparse
from pathlib import Path

from bsa.messages import text
from verification.errors import UsageError
from verification.runs import find_run, read_run
from verification.shadow.coverage_file import (
    KernelLines,
    LoopPaths,
    kernel_lines,
    lines_in_words,
    loop_paths,
    write_coverage,
)

EXAMPLE = "bsa-verify kernel-coverage latest --data .coverage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``kernel-coverage``."""
    parser.add_argument("run", metavar="RUN", help=text("cli.run_argument"))
    parser.add_argument("--data", metavar="FILE", type=Path, default=None, help=text("cli.kernel-coverage.data"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints lines and paths, and writes coverage.py data if asked to."""
    try:
        run = read_run(find_run(arguments.run))
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(str(error)) from error
    kernels = kernel_lines(run.records)
    if not kernels:
        raise UsageError(text("cli.kernel-coverage.none", run=arguments.run))
    for kernel in kernels:
        print(_lines(kernel))
    for one in loop_paths(run.records):
        print(_paths(one))
    if arguments.data is not None:
        write_coverage(kernels, arguments.data)
        for kernel in kernels:
            if kernel.path is None:
                print(text("cli.kernel-coverage.elsewhere", file=kernel.file))
        print(text("cli.kernel-coverage.written", file=arguments.data))
    return 0


def _lines(kernel: KernelLines) -> str:
    missing = lines_in_words(kernel.traced - kernel.executed)
    key = "cli.kernel-coverage.lines" if missing else "cli.kernel-coverage.all"
    executed = len(kernel.traced & kernel.executed)
    return text(key, file=kernel.file, traced=len(kernel.traced), executed=executed, missing=missing)


def _paths(one: LoopPaths) -> str:
    return text(
        "cli.kernel-coverage.loop",
        loop=one.loop,
        compiled=len(one.compiled),
        executed=len(one.executed),
        trips=lines_in_words(one.trips),
    )
