"""The runs that a command reads results of: where RUN is ``latest``, the newest one that has any."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from bsa.messages import current, text
from verification.errors import UsageError
from verification.runs import Run, find_recorded, read_run


def results_folder(name: str) -> Path:
    """The folder of the run that a RUN argument names; says in one line, on standard error, what was passed over.

    Raises:
        FileNotFoundError: there is no such run.
    """
    folder, passed_over = find_recorded(name)
    if passed_over:
        words = {"run": folder.name, "count": len(passed_over), "command": resuming(passed_over[0])}
        print(text("cli.passed_over", **words), file=sys.stderr, flush=True)
    return folder


def read_results(name: str) -> Run:
    """The run that a RUN argument names; says on standard error how many of its lines a kill cut short.

    Raises:
        UsageError: there is no such run, or it cannot be read.
    """
    try:
        run = read_run(results_folder(name))
    except (FileNotFoundError, ValueError) as error:
        raise UsageError(str(error)) from error
    if run.torn:
        print(f"{run.path}: {current().count('report.note.torn', run.torn)}", file=sys.stderr, flush=True)
    return run


def resuming(folder: Path) -> str:
    """The command that goes on with a run, for a shell."""
    return f"bsa-verify run --resume {shlex.quote(str(folder))}"
