"""Where this package keeps what outlives a process, and where a run writes its files."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from pathlib import Path

from bsa._pypto.errors import PyptoEnvironmentError

_APPLICATION = "bsa-verification"
ROOM = 2 << 30
"""Bytes that must be free in memory for files to be put there; below it the disk is used."""


def cache_folder(*parts: str) -> Path:
    """Return a writable folder below the user's cache, made if need be.

    The cache is ``$XDG_CACHE_HOME``, else ``~/.cache``, else a folder of this user's own in the temporary
    directory (readable by nobody else, since libraries are loaded from it).

    Args:
        parts: names of nested folders below ``bsa-verification``.

    Returns:
        The folder.

    Raises:
        PyptoEnvironmentError: no place is writable.
    """
    private = Path(tempfile.gettempdir()) / f"{_APPLICATION}-{os.getuid()}"
    configured = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    for root in (Path(configured).expanduser() / _APPLICATION, private):
        folder = root.joinpath(*parts)
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK | os.X_OK) and _is_ours(root):
            return folder
    raise PyptoEnvironmentError(
        f"no writable cache folder: tried {configured}/{_APPLICATION} and {private}; "
        "set XDG_CACHE_HOME to a folder you can write to",
    )


def _is_ours(folder: Path) -> bool:
    """Say whether nobody else can plant a library in ``folder``."""
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & stat.S_IWOTH


def memory_or_disk() -> Path:
    """Return where files that live shortly go: ``/dev/shm`` with ``ROOM`` free in it, else the temporary folder."""
    memory = Path("/dev/shm")  # noqa: S108  # memory-backed on purpose; mkdtemp makes the names private
    if os.access(memory, os.W_OK | os.X_OK) and shutil.disk_usage(memory).free >= ROOM:
        return memory
    return Path(tempfile.gettempdir())


def scratch_folder() -> Path:
    """Make a folder for run output, in memory where there is room, removed when this process ends.

    Returns:
        A new empty folder below :func:`memory_or_disk`.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{_APPLICATION}-", dir=memory_or_disk()))
    atexit.register(_remove_if_owner, folder, os.getpid())
    return folder


def _remove_if_owner(folder: Path, owner: int) -> None:
    """Remove ``folder`` unless this process is a fork of the one that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
