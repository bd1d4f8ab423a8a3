"""Where a run comes from: commit or tree hash, versions, host, command."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("bsa", "stimuli", "verification", "reports")
DISTRIBUTIONS = ("torch", "pypto", "numpy", "pytest", "pytest-xdist", "bsa-verification")
_ROOT = Path(__file__).resolve().parent.parent
BUILT_FROM = Path(__file__).with_name("built_from.json")
"""What a wheel says of its commit (written by setup.py); no source file."""


def provenance(argv: Sequence[str]) -> dict[str, Any]:
    """Everything about this run that the cases do not say.

    Args:
        argv: the command line as the user typed it.

    Returns:
        JSON data: ``commit`` and ``dirty`` (of the checkout; without one, of what the installed wheel was built from;
        None where neither is known), ``tree`` (sha256 of our packages' files),
        ``versions``, ``pypto_file_sha256``, ``compiler``, ``host``, ``argv``, ``started`` (UTC).
    """
    return {
        **_source(),
        "branch": _git("rev-parse", "--abbrev-ref", "HEAD"),
        "tree": tree_hash(),
        "versions": versions(),
        "pypto_file_sha256": _pypto_hash(),
        "compiler": compiler(),
        "host": {
            "name": socket.gethostname(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "python": sys.version.split()[0],
        },
        "argv": list(argv),
        "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def _source() -> dict[str, Any]:
    """Commit, and whether there were changes besides."""
    commit = _git("rev-parse", "HEAD")
    if commit is not None:
        return {"commit": commit, "dirty": bool(_git("status", "--porcelain"))}
    try:
        built = json.loads(BUILT_FROM.read_text(encoding="utf-8"))
        return {"commit": str(built["commit"]), "dirty": bool(built["dirty"])}
    except (OSError, ValueError, LookupError, TypeError):
        return {"commit": None, "dirty": None}


def versions() -> dict[str, str]:
    """Versions of what decides a result; a distribution that is not installed says so."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def tree_hash() -> str:
    """sha256 over the path and content of every file of our packages, in order."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path != BUILT_FROM:
                digest.update(f"{path.relative_to(_ROOT)}\n".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def compiler() -> str:
    """First line of ``g++ --version``; ``not found`` without one."""
    path = shutil.which("g++")
    if path is None:
        return "not found"
    out = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return out.splitlines()[0] if out else "unknown"


def _pypto_hash() -> str | None:
    """sha256 of PyPTO's compiled module, found without importing it."""
    try:
        files = metadata.files("pypto") or []
    except metadata.PackageNotFoundError:
        return None
    for file in sorted(files, key=str):
        if "pypto_impl" in file.name and file.name.endswith(".so"):
            return hashlib.sha256(Path(str(file.locate())).read_bytes()).hexdigest()
    return None


def _git(*arguments: str) -> str | None:
    """Output of git in our source tree; None if that is not a checkout of this project."""
    if not (_ROOT / ".git").exists() or shutil.which("git") is None:
        return None
    done = subprocess.run(["git", "-C", str(_ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None
