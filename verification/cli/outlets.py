"""Places that a command writes to when its work is done: tried before it begins, so that no work is lost."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bsa.messages import text
from verification.cli.results import resuming
from verification.errors import EnvironmentMissingError, UsageError
from verification.plan import PLAN_FILE
from verification.runs import OUT

_WRONG = (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""What is the fault of the name, not of the machine."""


def require_file(file: Path, *, option: str, make_folder: bool = False) -> None:
    """Tries that a file can be written; leaves everything as it is.

    Args:
        file: the file.
        option: what names it, for the error.
        make_folder: whether the folder is made when the time comes.

    Raises:
        UsageError: no file can have this name.
        EnvironmentMissingError: it cannot be written.
    """
    there = file.exists()
    with _said(option, file), _made(file.parent if make_folder else None):
        file.open("ab").close()
        if not there:
            file.unlink()


def require_folder(folder: Path, *, option: str) -> None:
    """Tries that files can be made in a folder, which is made when the time comes; leaves everything as it is.

    Raises:
        UsageError: no folder can have this name.
        EnvironmentMissingError: nothing can be written there.
    """
    with _said(option, folder), _made(folder), tempfile.TemporaryFile(dir=folder):
        pass


def require_run_folder(folder: Path | None) -> None:
    """As :func:`require_folder`, of ``--out`` of a new run; None = the run gets a folder of its own under ``out``.

    Raises:
        UsageError: it holds a run already, or no folder can have this name.
        EnvironmentMissingError: nothing can be written there.
    """
    if folder is None:
        require_folder(OUT, option="--out")
        return
    if (folder / PLAN_FILE).exists():
        raise UsageError(text("cli.run.folder_taken", folder=folder, command=resuming(folder)))
    if folder.exists() and not folder.is_dir():
        raise UsageError(text("cli.run.no_folder", folder=folder))
    require_folder(folder, option="--out")


@contextlib.contextmanager
def _said(option: str, path: Path) -> Iterator[None]:
    """Turns the system's error into one that names the option and the path."""
    try:
        yield
    except OSError as error:
        wrong = UsageError if isinstance(error, _WRONG) else EnvironmentMissingError
        raise wrong(text("error.cannot_write", option=option, path=path, why=error.strerror)) from error


@contextlib.contextmanager
def _made(folder: Path | None) -> Iterator[None]:
    """Within, a folder exists; what had to be made for it goes again."""
    chain = [folder, *folder.parents] if folder is not None else []
    made = [one for one in chain if not one.exists()]
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for one in made:
            with contextlib.suppress(OSError):
                one.rmdir()
