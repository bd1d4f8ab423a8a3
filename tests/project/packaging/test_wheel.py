"""The wheel holds the four packages with all their data, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

PACKAGES = ("bsa", "stimuli", "verification", "reports")


@pytest.fixture(scope="module")
def wheel(root: Path, tree: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the tree, a repository of its own, without the network."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for path in tree:
        copy = source / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    _git(source, "init", "--quiet")
    _git(source, "add", "--all")
    _git(source, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "all")
    build = (
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--quiet",
        "--wheel-dir",
        str(target),
        str(source),
    )
    subprocess.run([sys.executable, "-m", "pip", *build], check=True)
    (built,) = target.glob("bsa_verification-*-py3-none-any.whl")
    shutil.copy(source / ".git" / _git(source, "symbolic-ref", "HEAD"), target / "commit")
    return built


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """Every file in the wheel."""
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_every_file_of_the_packages_is_in_the_wheel(root: Path, tree: list[Path], names: set[str]) -> None:
    """Modules and package data (templates, catalogues, typing markers) are all installed."""
    relative = {path.relative_to(root).as_posix() for path in tree}
    expected = {name for name in relative if name.split("/")[0] in PACKAGES}
    assert expected - names == set()


def test_nothing_else_is_in_the_wheel(names: set[str]) -> None:
    """Tests, benchmarks and docs stay out of site-packages."""
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)


def test_the_command_and_the_plugin_are_entry_points(wheel: Path, names: set[str]) -> None:
    """Installing the wheel gives bsa-verify, the pytest plugin and the DUTs of this repository."""
    (points,) = (name for name in names if name.endswith("entry_points.txt"))
    with ZipFile(wheel) as archive:
        text = archive.read(points).decode()
    assert "bsa-verify = verification.cli:main" in text
    assert "[pytest11]" in text
    assert "[verification.duts]" in text


def test_an_installed_wheel_knows_its_commit(wheel: Path, tmp_path: Path) -> None:
    """Where there is no git, a run still says which commit it is from, and whether there were changes."""
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "import json; from verification.provenance import provenance; print(json.dumps(provenance([])))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    found = json.loads(said.stdout)
    assert found["commit"] == (wheel.parent / "commit").read_text(encoding="ascii").strip()
    assert found["dirty"] is False
    assert found["branch"] is None
    assert len(found["tree"]) == 64
