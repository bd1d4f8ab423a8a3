"""What can be done to a process of one's own before it does its work: less disk, less memory, fewer rights.

Each function acts on the calling process and on everything that it starts.
"""

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522
_RIGHTS_OVER_FILES = (1, 2, 3)
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER: what makes root able to write everywhere."""


def own_mounts():
    """A mount namespace of one's own; for a user who is not root, in a user namespace of their own."""
    user, group = os.getuid(), os.getgid()
    _check(_LIBC.unshare(_CLONE_NEWNS | (_CLONE_NEWUSER if user else 0)))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def small_disk(folder, size):
    """Puts a file system in memory over a folder; nobody else sees it. Size as mount takes it, for example ``1m``."""
    own_mounts()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)


def small_files(size):
    """No file may grow beyond so many bytes (EFBIG, as on a full disk)."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def small_address_space(size):
    """Allocations beyond so many bytes of address space fail."""
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def ordinary_rights():
    """The rights over files that everybody has: root loses its own, and what it starts does not get them back."""
    if os.getuid() != 0:
        return
    for one in _RIGHTS_OVER_FILES:
        _check(_LIBC.prctl(_PR_CAPBSET_DROP, one, 0, 0, 0))
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    _check(_LIBC.capget(header, sets))
    mask = sum(1 << one for one in _RIGHTS_OVER_FILES)
    for number in range(3):
        sets[number] &= ~mask & 0xFFFFFFFF
    _check(_LIBC.capset(header, sets))


def first_on_path(folder):
    """Modules and distributions in this folder come before all others."""
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))


def control_group(folder):
    """Moves the process into a control group."""
    (Path(folder) / "cgroup.procs").write_text(str(os.getpid()))


@contextlib.contextmanager
def memory_group(name, size):
    """A control group with so many bytes of memory and no swap: its folder, or None where there is none to be had."""
    for base, limits in (
        ("/sys/fs/cgroup/memory", ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")),
        ("/sys/fs/cgroup", ("memory.max",)),
    ):
        folder = Path(base) / name
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            for limit in limits:
                (folder / limit).write_text(str(size))
            yield folder
        finally:
            folder.rmdir()
        return
    yield None


def mounts_are_ours():
    """Whether this machine lets a process have mounts of its own."""
    code = "from tests.support.confine import own_mounts; own_mounts()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def _check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
