"""The two tools sim needs besides Python packages: a C++ compiler and a real cmake binary."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bsa._pypto.errors import PyptoEnvironmentError

INSTALL_COMPILER = (
    "sudo apt-get install -y g++ make   (Debian, Ubuntu)   or   sudo dnf install -y gcc-c++ make   (openEuler, Fedora)"
)
"""The line that brings a C++ compiler and make; pip cannot."""


def require_compiler() -> str:
    """Return the path of g++.

    PyPTO compiles generated control flow with g++ in every run and *exits the process* when it is missing,
    so this is asked before anything else.

    Raises:
        PyptoEnvironmentError: no g++ on PATH.
    """
    found = shutil.which("g++")
    if found is None:
        raise PyptoEnvironmentError(f"no C++ compiler: g++ is not on PATH. Install it with: {INSTALL_COMPILER}")
    return found


def require_cmake() -> Path:
    """Return a cmake that is a program and not the script that the PyPI package puts on PATH.

    Raises:
        PyptoEnvironmentError: neither the package nor PATH has one.
    """
    candidates = []
    try:
        import cmake
    except ImportError:
        pass
    else:
        candidates.append(Path(cmake.CMAKE_BIN_DIR) / "cmake")
    candidates += [Path(folder) / "cmake" for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK) and candidate.read_bytes()[:4] == b"\x7fELF":
            return candidate
    raise PyptoEnvironmentError("no cmake: install it with: pip install cmake")
