"""What a run writes to stdout and stderr, and the error PyPTO logs before it raises another."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def output_to(path: Path) -> Iterator[None]:
    """Send what is written to file descriptors 1 and 2, by C++ and child processes too, to ``path``.

    The file stays when the process dies inside.

    Args:
        path: file to append to.
    """
    _flush()
    saved = os.dup(1), os.dup(2)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    try:
        yield
    finally:
        _flush()
        for descriptor, copy in zip((1, 2), saved, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def tail(path: Path, *, lines: int = 20) -> str:
    """Return the last ``lines`` lines of a file, empty when there is none."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


class FirstError(logging.Handler):
    """Keeps the first error that PyPTO logs: ``Record function NAME failed: ERROR``.

    PyPTO goes on to compile the half-recorded graph and raises what comes of that instead.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.kernel = ""
        """Name of the kernel whose trace failed."""
        self.text = ""
        """The error, with its type."""
        self.line: int | None = None
        """Line of the kernel's file, when PyPTO's parser knew it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep ``record`` when it is PyPTO's report of a failed trace; the first one tells the cause."""
        message = str(record.msg)
        if not (message.startswith("Record ") and isinstance(record.args, tuple) and len(record.args) == 2):
            return
        name, cause = record.args
        if message.startswith("Record function"):
            self.kernel = str(name)
        if not self.text:
            self.text = describe(cause)
            self.line = getattr(getattr(cause, "node", None), "lineno", None)

    @contextlib.contextmanager
    def listening(self) -> Iterator[FirstError]:
        """Listen on the root logger, where PyPTO reports, for the time of the block."""
        root = logging.getLogger()
        root.addHandler(self)
        try:
            yield self
        finally:
            root.removeHandler(self)


def describe(error: object) -> str:
    """Return an error's type and text; PyPTO's parser errors have the true type in their text already."""
    if not isinstance(error, BaseException) or any("ParserError" in kind.__name__ for kind in type(error).__mro__):
        return str(error)
    return f"{type(error).__name__}: {error}"
