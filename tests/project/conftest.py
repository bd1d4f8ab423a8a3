"""The tree under test: its root, and the files that belong to it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

GENERATED = {".git", ".tox", ".venv", "out", "build", "dist", "__pycache__"}
"""Folders that no source file lives in (see .gitignore)."""


def _files_of_the_tree() -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:  # a source archive has no git
        found = [path for path in ROOT.rglob("*") if not GENERATED & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in found if path.is_file())


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def tree() -> list[Path]:
    """Every file of the tree that git would commit, sorted."""
    return _files_of_the_tree()


@pytest.fixture(scope="session")
def modules(tree: list[Path]) -> list[Path]:
    """The Python modules of the four packages, sorted."""
    packages = {"bsa", "stimuli", "verification", "reports"}
    return [path for path in tree if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in packages]
