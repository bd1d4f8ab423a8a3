"""The interpreter's calculator library: built once per combination of versions, then loaded from the user's cache.

PyPTO builds it from C++ in every process (25 to 90 s) and deletes it again. The library depends on PyPTO's
headers and symbols, on torch's, on the C++ ABI and on the platform, so these make up its key.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from bsa._pypto.errors import PyptoEnvironmentError
from bsa._pypto.folders import cache_folder
from bsa._pypto.toolchain import require_cmake, require_compiler
from bsa._pypto.version import installed_version

_LIBRARY = "libtile_fwk_calculator.so"
_MANIFEST = "manifest.json"
_BUILD = "build-"
"""How the folder of a build begins, followed by the key."""
_TOGETHER = """
import ctypes, os, signal, subprocess, sys
signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)
sys.exit(subprocess.call(sys.argv[2:]) if os.getppid() == int(sys.argv[1]) else 1)
"""
"""Python of a process that runs a command and ends with its parent, and with it all that the command has started."""


def load_calculator(package: Path) -> Path:
    """Load the calculator into this process, building it first if the cache has no whole copy.

    Args:
        package: folder of the installed ``pypto`` package.

    Returns:
        The library's path.

    Raises:
        PyptoEnvironmentError: a tool is missing or the build failed.
    """
    library = cached_library(package)
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    return library


def never_built() -> bool:
    """Say whether no calculator is in the cache yet, so that the first kernel waits for a build of about 30 s."""
    return not any(cache_folder("calculator").glob(f"*/{_MANIFEST}"))


def cached_library(package: Path) -> Path:
    """Return the path of a whole calculator library for the installed versions, building it if need be.

    Safe against other processes: one builds under a lock, in a folder of its own that is renamed into place.

    Args:
        package: folder of the installed ``pypto`` package.

    Raises:
        PyptoEnvironmentError: a tool is missing or the build failed.
    """
    root = cache_folder("calculator")
    entry = root / _key(package)
    if not _is_whole(entry):
        with FileLock(root / f"{entry.name}.lock"):
            if not _is_whole(entry):
                shutil.rmtree(entry, ignore_errors=True)
                _sweep(root, entry.name)
                _build(package, entry)
    return entry / _LIBRARY


def sweep_builds() -> list[Path]:
    """Remove what killed builds left in the cache, and return it; a build that goes on keeps its folder."""
    root = cache_folder("calculator")
    removed = []
    for key in sorted({folder.name.split("-")[1] for folder in root.glob(f"{_BUILD}*-*")}):
        with contextlib.suppress(Timeout), FileLock(root / f"{key}.lock", timeout=0):
            removed += _sweep(root, key)
    return removed


def _sweep(root: Path, key: str) -> list[Path]:
    """Remove the folders of builds of one key. Call it with the key's lock held: then nobody builds."""
    folders = sorted(root.glob(f"{_BUILD}{key}-*"))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return folders


def _key(package: Path) -> str:
    """Hash everything the library's binary interface depends on."""
    import torch

    digest = hashlib.sha256()
    facts = (
        installed_version(),
        torch.__version__,
        torch.version.git_version,
        str(torch.compiled_with_cxx11_abi()),
        platform.python_version(),
        platform.machine(),
        platform.libc_ver()[1],
    )
    digest.update("\n".join(map(str, facts)).encode())
    sources = sorted(path for path in (package / "lib" / "calculator").rglob("*") if path.is_file())
    for path in [*sources, package / "lib" / "libtile_fwk_interface.so"]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _is_whole(entry: Path) -> bool:
    """Say whether the library in ``entry`` is the one its manifest describes."""
    try:
        manifest = json.loads((entry / _MANIFEST).read_text())
        return bool(manifest["sha256"] == _digest(entry / _LIBRARY))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _build(package: Path, entry: Path) -> None:
    """Build the library beside ``entry`` and rename the finished folder to it."""
    import torch

    require_compiler()
    cmake = require_cmake()
    work = Path(tempfile.mkdtemp(prefix=f"{_BUILD}{entry.name}-", dir=entry.parent))
    try:
        build, finished = work / "build", work / "finished"
        configure = [
            *(str(cmake), "-S", str(package / "lib" / "calculator"), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"),
            f"-DCMAKE_INSTALL_PREFIX={work / 'install'}",
            f"-DPY3_MOD_TORCH_VERSION={torch.__version__}",
            f"-DPY3_MOD_TORCH_ROOT_PATH={Path(torch.__file__).parent}",
            f"-DPY3_MOD_TORCH_C_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        ]
        _run(configure)
        _run([str(cmake), "--build", str(build), "-j", str(os.cpu_count() or 1)])
        _run([str(cmake), "--install", str(build)])
        finished.mkdir()
        shutil.move(work / "install" / "lib" / _LIBRARY, finished / _LIBRARY)
        manifest = {"sha256": _digest(finished / _LIBRARY), "pypto": installed_version(), "torch": torch.__version__}
        (finished / _MANIFEST).write_text(json.dumps(manifest))
        finished.rename(entry)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run(command: list[str]) -> None:
    """Run a command of the build; a build that is killed leaves no compiler behind."""
    together = [sys.executable, "-ISc", _TOGETHER, str(os.getpid()), *command]
    done = subprocess.run(together, capture_output=True, text=True, check=False, start_new_session=True)
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise PyptoEnvironmentError(
            f"building PyPTO's calculator failed with status {done.returncode}: {' '.join(command)}\n{tail}",
        )
