"""Environment variables that PyPTO reads while it is imported, set before it is."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bsa._pypto.errors import PyptoEnvironmentError
from bsa._pypto.folders import cache_folder

OUTPUT_DIR = "TILE_FWK_OUTPUT_DIR"
"""Where a run's ``output_*`` folder goes; read at the start of every run."""

_NO_PLOTS = "Model.drawPngThresholdCycle=0"
"""Simulation argument that keeps the cost model from plotting (10 to 20 s a run)."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """What :func:`prepare_environment` found and did."""

    applied: Mapping[str, str]
    """Variables set now, with their values."""
    kept: Mapping[str, str]
    """Variables that were set already, and were left alone."""
    too_late: tuple[str, ...]
    """Variables PyPTO or torch had read before: set for child processes, without effect on this one."""


def prepare_environment(*, output_dir: Path | str | None = None) -> Environment:
    """Set the environment variables under which PyPTO simulates fast and without side effects.

    Call it before ``import pypto`` (:func:`bsa._pypto.load` does). Values that are set already are the user's and
    stay. Calling it again changes nothing.

    Args:
        output_dir: folder for the output of runs; without it each run gets a folder of its own that is removed
            afterwards (:func:`bsa._pypto.simulate`).

    Returns:
        What was set, what was kept, and what came too late to act on this process.

    Raises:
        PyptoEnvironmentError: PyPTO is not installed, or no folder is writable.
    """
    wanted = {"OMP_NUM_THREADS": "1", "TILEFWK_CONFIG_PATH": str(configuration_without_plots(package_folder()))}
    if output_dir is not None:
        wanted[OUTPUT_DIR] = str(output_dir)
    if not _home_is_writable():
        wanted["PYPTO_HOME"] = str(cache_folder("pypto-home"))
    applied = {name: value for name, value in wanted.items() if name not in os.environ}
    kept = {name: os.environ[name] for name in wanted if name in os.environ}
    os.environ.update(applied)
    late = {"OMP_NUM_THREADS": "torch", "TILEFWK_CONFIG_PATH": "pypto", "PYPTO_HOME": "pypto"}
    too_late = tuple(name for name in applied if late.get(name) in sys.modules)
    return Environment(applied=applied, kept=kept, too_late=too_late)


def package_folder() -> Path:
    """Return the folder of the installed ``pypto`` package without importing it.

    Raises:
        PyptoEnvironmentError: PyPTO is not installed.
    """
    spec = importlib.util.find_spec("pypto")
    if spec is None or not spec.submodule_search_locations:
        raise PyptoEnvironmentError("PyPTO is not installed; install it with: pip install pypto==0.2.0")
    return Path(spec.submodule_search_locations[0])


def configuration_without_plots(package: Path, *, level: int | None = None) -> Path:
    """Write PyPTO's configuration with plotting off to the cache, under a name made from its content.

    Args:
        package: folder of the ``pypto`` package.
        level: accuracy of the cost model; None = that of the package.
    """
    stock = package / "lib" / "configs" / "tile_fwk_config.json"
    settings = json.loads(stock.read_text())
    simulation = settings["global"]["simulation"]
    simulation["args"].append(_NO_PLOTS)
    if level is not None:
        simulation["accuracy_level"] = level
    text = json.dumps(settings, indent=1)
    folder = cache_folder("config")
    path = folder / f"tile_fwk_config-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    if not path.is_file() or path.read_text() != text:
        descriptor, draft = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(text)
        Path(draft).replace(path)
    return path


def _home_is_writable() -> bool:
    """Say whether PyPTO can make ``~/.pypto``; it aborts the process otherwise."""
    home = Path(os.environ.get("PYPTO_HOME") or os.environ.get("HOME") or "/")
    folder = home / ".pypto"
    with contextlib.suppress(OSError):
        return os.access(folder if folder.exists() else home, os.W_OK | os.X_OK)
    return False
