"""The pages, and a copy of the tree to run their commands in."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def pages(root: Path, tree: list[Path]) -> list[Path]:
    """README, changelog and every page of the docs, in both languages."""
    return [path for path in tree if path.suffix == ".md" and path.relative_to(root).parts[0] in {"docs", path.name}]


@pytest.fixture
def checkout(root: Path, tree: list[Path], tmp_path: Path) -> Path:
    """A copy of the tree with no runs in it."""
    for path in tree:
        copy = tmp_path / "checkout" / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return tmp_path / "checkout"


@pytest.fixture
def environment(checkout: Path) -> dict[str, str]:
    """What a reader's shell has after activating the environment, with the copy's modules in front."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV", "TOX"))}
    return inherited | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(checkout),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }
