"""Scratch folders of warm parents: in memory where there is room, never left behind.

The owner of a folder holds a lock in it, which the system takes back however the owner ends. So a later start can tell
and remove what a killed process left, whatever the clock says and whoever has the same process id by then.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

from bsa._pypto import memory_or_disk

PREFIX = "bsa-verify-"
OWNER_FILE = "owner"
MARGIN = 64 << 20
"""Bytes that must be free for a case to be started."""
FULL = 1 << 20
"""With fewer bytes free at the end of a case, nothing that it wrote can be trusted to be whole."""
SCRATCH_VARIABLE = "BSA_SCRATCH"
"""Environment variable that names another place for scratch folders."""


def make_scratch() -> Path:
    """Makes a scratch folder owned by this process and the children it forks, after removing those of dead owners.

    Raises:
        OSError: no place can be written.
    """
    place = scratch_place()
    sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))
    draft = os.open(folder / f"{OWNER_FILE}.new", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(draft, fcntl.LOCK_EX)
    (folder / f"{OWNER_FILE}.new").rename(folder / OWNER_FILE)
    return folder


def scratch_place() -> Path:
    """Where scratch folders go: ``BSA_SCRATCH``, else memory where there is room, else the temporary folder."""
    named = os.environ.get(SCRATCH_VARIABLE)
    return Path(named) if named else memory_or_disk()


def sweep(place: Path) -> list[Path]:
    """Removes scratch folders whose owner is gone, and returns them."""
    return [folder for folder in sorted(place.glob(f"{PREFIX}*-*")) if folder.is_dir() and remove_if_dead(folder)]


def remove_if_dead(folder: Path, *, wait_s: float = 0.0) -> bool:
    """Removes a scratch folder whose owner, and every child that it forked, is gone.

    Args:
        folder: a scratch folder.
        wait_s: how long to wait for them to go.

    Returns:
        Whether the folder is gone.
    """
    deadline = time.monotonic() + wait_s
    while _is_owned(folder):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def _is_owned(folder: Path) -> bool:
    """Whether a process holds the folder's lock; before there is one, whether the process of its name exists."""
    try:
        descriptor = os.open(folder / OWNER_FILE, os.O_RDWR)
    except FileNotFoundError:
        pid = folder.name.removeprefix(PREFIX).split("-")[0]
        return folder.exists() and Path(f"/proc/{pid}").exists()
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
