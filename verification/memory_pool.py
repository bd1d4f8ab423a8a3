"""Memory shared by the workers of a run: a case starts once its estimate fits beside those that are running.

The pool is a number of bytes, counted in units. A unit is taken by locking one byte of the run's plan file, far beyond
its end. So there is no counter that could be wrong, nothing to clean up, and what a killed worker had comes back by
itself. Whoever waits keeps the others waiting behind it: a large case gets its turn.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from verification.plan import PLAN_FILE

UNIT = 64 << 20
"""Bytes of one unit."""
_BASE = 1 << 40
"""Where the locked bytes begin: the first is whoever waits, the units follow."""
_POLL_SECONDS = 0.1


class MemoryPool:
    """One worker's access to the pool of its run.

    Args:
        folder: the run's folder; its plan is there.
        total: bytes that all cases may use together.
    """

    def __init__(self, folder: Path, total: int) -> None:
        self._path = folder / PLAN_FILE
        self._units = max(1, total // UNIT)

    @contextlib.contextmanager
    def reserved(self, size: int) -> Iterator[None]:
        """Holds memory for a case, waiting until there is enough; more than there is takes all of it.

        Args:
            size: bytes.

        Where the file system has no such locks, nothing is held and nobody waits.
        """
        descriptor = -1
        try:
            with contextlib.suppress(OSError):
                descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
                self._take(descriptor, min(self._units, -(-size // UNIT)))
            yield
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def _take(self, descriptor: int, wanted: int) -> None:
        _lock(descriptor, 0, wait=True)
        taken: set[int] = set()
        while len(taken) < wanted:
            for unit in range(1, self._units + 1):
                if len(taken) < wanted and unit not in taken and _lock(descriptor, unit, wait=False):
                    taken.add(unit)
            if len(taken) < wanted:
                time.sleep(_POLL_SECONDS)
        _lock(descriptor, 0, wait=False, kind=fcntl.F_UNLCK)


def shareable() -> int:
    """Bytes that the cases of a run may use together: what is available now, less a reserve."""
    return int(psutil.virtual_memory().available * 0.8)


def _lock(descriptor: int, place: int, *, wait: bool, kind: int = fcntl.F_WRLCK) -> bool:
    """Locks or unlocks one byte for this open file; says whether it is ours.

    The request is ``struct flock``: kind, counted from the file's start, place, length, no process id.
    """
    request = struct.pack("hhqqi4x", kind, os.SEEK_SET, _BASE + place, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK, request)
    except (BlockingIOError, PermissionError):
        return False
    return True
