"""What the kernel tells of processes that it has ended for want of memory."""

from __future__ import annotations

from pathlib import Path


def oom_kills() -> int:
    """The kernel's count of processes it has ended for want of memory; 0 where it does not tell."""
    vmstat = Path("/proc/vmstat")
    try:
        lines = vmstat.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
