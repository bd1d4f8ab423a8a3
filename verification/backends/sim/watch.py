"""Watching one forked child: its time, its memory, and how it ended."""

from __future__ import annotations

import os
import select
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from verification.backends.observation import CRASHED, INTERRUPTED, OUT_OF_MEMORY, RETURNED, TIMED_OUT
from verification.backends.oom import oom_kills

POLL_SECONDS = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")
OUTSIDE_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""Signals by which somebody else ends a process; any other is the child's own crash."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a child ended and what it used."""

    ended: str
    signal: int | None
    exit_code: int | None
    wall_s: float
    cpu_s: float
    """User + system of the child and the children it waited for."""
    peak_bytes: int
    why: str = ""
    """What ``ended`` and ``signal`` do not say."""


class ClientGoneError(Exception):
    """The process that asked for this child is gone; the child has been ended."""


def watch(pid: int, *, seconds: float, limit_bytes: int, connection: int) -> Ending:
    """Waits for a child, and ends it when a budget is used up.

    Args:
        pid: the child, leader of its own process group.
        seconds: wall time it may use.
        limit_bytes: resident bytes that it and its descendants may use together.
        connection: file descriptor that becomes readable when the client is gone.

    Raises:
        ClientGoneError: the client closed the connection; the child has been ended.
    """
    begin = time.monotonic()
    oom_before = oom_kills()
    ours = ""
    peak = 0
    pidfd = os.pidfd_open(pid)
    try:
        while True:
            ready, _, _ = select.select([pidfd, connection], [], [], POLL_SECONDS)
            if pidfd in ready:
                break
            if connection in ready:
                _end(pid)
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                raise ClientGoneError
            used = resident_bytes(pid)
            peak = max(peak, used)
            if used > limit_bytes:
                ours = OUT_OF_MEMORY
            elif time.monotonic() - begin > seconds:
                ours = TIMED_OUT
            if ours:
                _end(pid)
                os.kill(pid, signal.SIGKILL)
                break
    finally:
        os.close(pidfd)
    _end(pid)  # before it is waited for: afterwards its id may be another's
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    died_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    by_kernel = not ours and died_by == signal.SIGKILL and oom_kills() > oom_before
    return Ending(
        ended=ours or (OUT_OF_MEMORY if by_kernel else _classify(died_by)),
        why="the kernel ended it for want of memory" if by_kernel else "",
        signal=died_by,
        exit_code=os.WEXITSTATUS(status) if died_by is None else None,
        wall_s=wall,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_bytes=max(peak, usage.ru_maxrss * 1024),
    )


def _classify(died_by: int | None) -> str:
    if died_by is None:
        return RETURNED
    return INTERRUPTED if died_by in OUTSIDE_SIGNALS else CRASHED


def _end(pid: int) -> None:
    """Kills the child's whole process group (once it has one), what it left behind included."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def resident_bytes(pid: int, forker: Path | None = None) -> int:
    """Resident bytes of a process and its descendants; 0 when it is gone.

    A descendant that was forked and has not yet become another program shares its memory with its parent: it is not
    counted again.

    Args:
        pid: the process.
        forker: the program of its parent; None for the first.
    """
    try:
        program = Path(f"/proc/{pid}/exe").readlink()
        pages = 0 if program == forker else int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        children = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * _PAGE + sum(resident_bytes(int(child), program) for child in " ".join(children).split())
