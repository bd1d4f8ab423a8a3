"""Small machines: file systems and memory of a few bytes, for the processes of one test only."""

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Disk:
    """A file system in memory that only confined processes see.

    Attributes:
        confine: what makes a process see it (for :func:`tests.support.runs.start`).
        folder: the same folder, for this process to look into.
    """

    confine: tuple
    folder: Path

    def fill(self, *, leave):
        """Fills it up to so many bytes; :meth:`relieve` undoes it."""
        with (self.folder / _FILLER).open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(1 << 16)):
                pass
        size = (self.folder / _FILLER).stat().st_size
        os.truncate(self.folder / _FILLER, max(0, size - leave))

    def relieve(self):
        """Makes room again."""
        (self.folder / _FILLER).unlink()


_FILLER = "filler"


@contextlib.contextmanager
def small_disk(folder, size):
    """Puts a file system of so many bytes (as mount takes them: ``1m``) over a folder, for confined processes only."""
    script = 'mount --make-rprivate / && mount -t tmpfs -o size="$1" tmpfs "$2" && echo ready && exec sleep infinity'
    unshare = ["unshare", *(["--user", "--map-root-user"] if os.getuid() else []), "--mount"]
    holder = subprocess.Popen(
        [*unshare, "sh", "-c", script, "sh", size, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = holder.stdout.readline()
        assert said == "ready\n", said
        seen = Path(f"/proc/{holder.pid}/root/{Path(folder).resolve().relative_to('/')}")
        yield Disk(confine=(("mounts_of", holder.pid),), folder=seen)
    finally:
        holder.kill()
        holder.communicate()


@contextlib.contextmanager
def memory_group(size):
    """A control group with so many bytes of memory and no swap: what confines a process to it, or None."""
    for base, limits in (
        ("/sys/fs/cgroup/memory", ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")),
        ("/sys/fs/cgroup", ("memory.max",)),
    ):
        folder = Path(base) / f"bsa-test-{os.getpid()}"
        try:
            folder.mkdir()
            for limit in limits:
                (folder / limit).write_text(str(size))
        except OSError:
            continue
        try:
            yield (("control_group", str(folder)),)
        finally:
            folder.rmdir()
        return
    yield None
