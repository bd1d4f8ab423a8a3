"""The PyPTO that ``bsa-verify qualify`` is to qualify: found, installed beside the others, and seen by processes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from filelock import FileLock

from bsa import _pypto
from bsa.messages import text
from verification.errors import EnvironmentMissingError, UsageError

_DRAFT = "install-"
"""How the folder of an installation that goes on begins."""


LEVEL = 1
"""Accuracy of the cost model of 0.2.0. That of 0.1.3 is 2: it compiles and runs a program for each kind of operation,
16 to 28 CPU s a case. At level 1, 0.1.3 hangs on small kernels with a loop that the call sizes: probes keep its own."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """The PyPTO to qualify."""

    name: str
    version: str
    environ: Mapping[str, str]
    """Of processes that are to use it."""
    of_suites: Mapping[str, str]
    """More variables of those that run suites: the installed one's cost model, so that simulated times compare."""


def installed_one() -> Candidate:
    """The one of this environment."""
    return Candidate(name="system", version=_pypto.installed_version(), environ=dict(os.environ), of_suites={})


def of_folder(path: str) -> Candidate:
    """One that lies in a folder, for example a changed copy.

    Args:
        path: the folder, or the package in it.

    Raises:
        UsageError: there is none.
    """
    folder = Path(path).resolve()
    folder = folder.parent if folder.name == "pypto" else folder
    if not (folder / "pypto" / "__init__.py").is_file():
        raise UsageError(text("error.qualify.path", path=path))
    return _in_folder(folder, str(folder))


def of_release(release: str) -> Candidate:
    """A release, installed once for this user.

    Args:
        release: ``pypto==X``.

    Raises:
        UsageError: it is not of that form.
        EnvironmentMissingError: pip cannot install it.
    """
    match = re.fullmatch(r"pypto==([0-9][0-9A-Za-z.]*)", release)
    if match is None:
        raise UsageError(text("error.qualify.release", given=release))
    root = _pypto.cache_folder("qualify")
    folder = root / match.group(1)
    with FileLock(root / f"{folder.name}.lock"):
        if not folder.is_dir():
            print(text("cli.qualify.installing", release=release), flush=True)
            _install(release, folder)
    return _in_folder(folder, release)


def _install(release: str, folder: Path) -> None:
    """Installs a release beside the others, whole or not at all, without touching this environment.

    Raises:
        EnvironmentMissingError: pip cannot.
    """
    for left in folder.parent.glob(f"{_DRAFT}{folder.name}-*"):
        shutil.rmtree(left, ignore_errors=True)  # of an installation that was killed: its lock is ours
    draft = Path(tempfile.mkdtemp(prefix=f"{_DRAFT}{folder.name}-", dir=folder.parent))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(draft), release]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise EnvironmentMissingError(text("error.qualify.install", release=release, why=_last_error(done)))
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _last_error(done: subprocess.CompletedProcess[str]) -> str:
    """The line in which pip says why; its last one where none is an error."""
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines)[-1]


def _in_folder(folder: Path, name: str) -> Candidate:
    """A PyPTO that lies in a folder: processes see that folder first, and accept its version."""
    found = [one.version for one in metadata.distributions(path=[str(folder)]) if one.metadata["Name"] == "pypto"]
    version = found[0] if found else _pypto.installed_version()
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    environ = {**os.environ, "PYTHONPATH": path, _pypto.OVERRIDE: version}
    return Candidate(name=name, version=version, environ=environ, of_suites=_cost_model(folder / "pypto"))


def _cost_model(package: Path) -> dict[str, str]:
    """The variable by which a package takes :data:`LEVEL`; nothing where its configuration is of another form."""
    try:
        return {"TILEFWK_CONFIG_PATH": str(_pypto.configuration_without_plots(package, level=LEVEL))}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
