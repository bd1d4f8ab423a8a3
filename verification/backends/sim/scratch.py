"""Scratch folders of warm parents: in memory where there is room, never left behind.

A folder's name carries the process id and start time of its owner, so that a later start can tell and remove what a
killed process left.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import psutil

PREFIX = "bsa-verify-"
ROOM = 2 << 30
"""Bytes that must be free in memory for a folder to be put there; below it the disk is used."""
SCRATCH_VARIABLE = "BSA_SCRATCH"
"""Environment variable that names another place for scratch folders."""


def make_scratch() -> Path:
    """Makes a scratch folder owned by this process, after removing those of dead owners.

    Raises:
        OSError: no place can be written.
    """
    place = scratch_place()
    sweep(place)
    started = int(psutil.Process().create_time())
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{started}-", dir=place))


def scratch_place() -> Path:
    """Where scratch folders go: ``BSA_SCRATCH``, else /dev/shm with ``ROOM`` free, else the temporary folder."""
    named = os.environ.get(SCRATCH_VARIABLE)
    if named:
        return Path(named)
    memory = Path("/dev/shm")  # noqa: S108 - the point is memory; folders are private by mkdtemp
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= ROOM:
        return memory
    return Path(tempfile.gettempdir())


def sweep(place: Path) -> list[Path]:
    """Removes scratch folders whose owner is gone, and returns them."""
    removed = []
    for folder in place.glob(f"{PREFIX}*-*-*"):
        parts = folder.name.removeprefix(PREFIX).split("-")
        if folder.is_dir() and parts[0].isdigit() and parts[1].isdigit() and not _alive(int(parts[0]), int(parts[1])):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def _alive(pid: int, started: int) -> bool:
    try:
        return abs(psutil.Process(pid).create_time() - started) <= 2
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
