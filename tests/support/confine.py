"""What can be done to a process of one's own before it does its work: less disk, less memory, fewer rights.

Each function acts on the calling process and on everything that it starts.
"""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522
_RIGHTS_OVER_FILES = (1, 2, 3)
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER: what makes root able to write everywhere."""


def mounts_of(pid):
    """Sees the file systems that another process sees; in its user namespace, for a user who is not root."""
    here = Path.cwd()
    for kind in ("user", "mnt") if os.getuid() else ("mnt",):
        namespace = os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY)
        _check(_LIBC.setns(namespace, 0))
        os.close(namespace)
    os.chdir(here)


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


def memory_available(size):
    """The cases of a run may use so many bytes together."""
    from verification import memory_pool

    memory_pool.shareable = lambda: size


def impatient(seconds):
    """What stands still, or a reference whose time is over, is ended after so many seconds."""
    from verification import watchdog

    watchdog.STOPPED_SECONDS = watchdog.GRACE_SECONDS = seconds


def ignoring_hang_up():
    """The end of the terminal means nothing, as under ``nohup``."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def first_on_path(folder):
    """Modules and distributions in this folder come before all others."""
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))


def on_terminal(name):
    """Standard output and standard error are a terminal."""
    file = os.open(name, os.O_RDWR | os.O_NOCTTY)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    os.close(file)
    # The objects that the process has would take it for what was there before: something that can seek, perhaps.
    sys.stdout, sys.stderr = (os.fdopen(number, "w", 1, encoding="utf-8", closefd=False) for number in (1, 2))


def control_group(folder):
    """Moves the process into a control group."""
    (Path(folder) / "cgroup.procs").write_text(str(os.getpid()))


def _check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
