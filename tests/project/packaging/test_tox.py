"""tox passes arguments on, asks for a compiler first, ends npu with 4, and passes over a dead interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

BROKEN_INTERPRETER = "#!/bin/sh\necho 'python3.12: command not found' >&2\nexit 127\n"
"""What a version manager's shim does for a version that is installed but not enabled."""


SHARED = ("sim", "test", "lint", "browser", "nightly")
"""The environments that use one folder."""


@dataclass(frozen=True)
class Tox:
    """Runs tox on this tree with a work folder of its own."""

    root: Path
    work: Path

    def __call__(self, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
        """Run tox; ``path`` replaces PATH."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("TOX", "COV", "PYTEST"))
        }
        environment |= {"XDG_CACHE_HOME": str(self.work / "cache"), "PIP_NO_INDEX": "1"}
        environment |= {"PATH": path} if path else {}
        return subprocess.run(
            [sys.executable, "-m", "tox", "--workdir", str(self.work), *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


@pytest.fixture(scope="module")
def tox(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Tox:
    """A tox that can download nothing: it has no package index."""
    return Tox(root, tmp_path_factory.mktemp("tox"))


@pytest.fixture(scope="module")
def settings(tox: Tox) -> dict[str, list[str]]:
    """The settings of the shared environments as tox reads them, by environment, given ``-- --suite smoke``."""
    keys = ("commands", "env_dir", "deps", "extras", "package")
    shown = tox("config", "-e", ",".join(SHARED), "-k", *keys, "--", "--suite", "smoke").stdout
    parts = [part.strip() for part in shown.split("[testenv:")[1:]]
    return {part.partition("]")[0]: part.splitlines()[1:] for part in parts}


@pytest.fixture(scope="module")
def path_without_compiler(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with every program of this machine but g++ and make."""
    folder = tmp_path_factory.mktemp("bin")
    for directory in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in directory.iterdir() if directory.is_dir() else ():
            link = folder / program.name
            if program.name not in {"g++", "make"} and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


@pytest.mark.parametrize(("environment", "program"), [("sim", "bsa-verify run"), ("test", "pytest")])
def test_arguments_after_the_dashes_reach_the_command(
    settings: dict[str, list[str]], environment: str, program: str
) -> None:
    """``tox -e sim -- X`` runs ``bsa-verify run X``; ``tox -e test -- X`` runs ``pytest … X``."""
    (line,) = (line for line in settings[environment] if f"= {program} " in line)
    assert line.endswith("--suite smoke")


def test_the_environments_share_one_folder(tox: Tox, settings: dict[str, list[str]]) -> None:
    """sim, test, lint, browser and nightly install the same packages into one place."""
    installed = {
        name: lines[next(i for i, x in enumerate(lines) if "env_dir" in x) :] for name, lines in settings.items()
    }
    assert set(installed) == set(SHARED)
    assert len({tuple(lines) for lines in installed.values()}) == 1
    assert f"env_dir = {tox.work / 'py'}" in installed["sim"]


def test_npu_ends_with_4_before_anything_is_installed(tox: Tox) -> None:
    """``tox -e npu`` says in one line that it cannot, exits with 4, and has called neither pip nor a build."""
    ended = tox("-e", "npu")
    assert ended.returncode == 4
    assert len([line for line in ended.stderr.splitlines() if line.startswith("npu:")]) == 1
    assert "install" not in ended.stdout
    assert not list(tox.work.rglob("*.whl"))


def test_a_missing_compiler_ends_with_4(tox: Tox, path_without_compiler: str) -> None:
    """Without g++ and make, ``tox -e sim`` exits with 4 and prints the line that installs them; pip was not called."""
    ended = tox("-e", "sim", path=path_without_compiler)
    assert ended.returncode == 4
    assert "sim: g++ and make not found" in ended.stderr
    assert "apt-get install -y g++ make" in ended.stderr
    assert "install" not in ended.stdout


def test_every_environment_that_compiles_asks_for_a_compiler(tox: Tox, path_without_compiler: str) -> None:
    """The environments test and nightly ask as well."""
    ended = tox("-e", "test,nightly", path=path_without_compiler)
    assert ended.returncode != 0
    assert "test: g++ and make not found" in ended.stderr
    assert "nightly: g++ and make not found" in ended.stderr


def test_an_interpreter_that_does_not_start_is_passed_over(tox: Tox, tmp_path: Path) -> None:
    """A python3.12 that only prints an error does not stop tox from taking the next one."""
    shim = tmp_path / "python3.12"
    shim.write_text(BROKEN_INTERPRETER)
    shim.chmod(0o755)
    ended = tox("-e", "npu", path=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert ended.returncode == 4
    assert "this version runs in the simulator only" in ended.stderr
