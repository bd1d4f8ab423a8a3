"""The CI script runs every part, hides no output, times each, and fails if any part failed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

TOOLS = ("g++", "make", "git", "chromium", "chromedriver")
"""What the script looks for before it starts."""


@dataclass(frozen=True)
class Ci:
    """A copy of the script among stand-ins for the programs that it starts."""

    folder: Path

    def program(self, name: str, body: str) -> None:
        """Put a stand-in on PATH, or at a path below the folder."""
        path = self.folder / (name if "/" in name else f"bin/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Run the script as CI does: no input, and only our stand-ins and the shell's own tools."""
        return subprocess.run(
            ["/bin/bash", ".ci/run"],
            cwd=self.folder,
            env={"PATH": str(self.folder / "bin"), "CI": "true"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def ci(root: Path, tmp_path: Path) -> Ci:
    """The script where everything is installed and every part passes."""
    made = Ci(tmp_path)
    (tmp_path / ".ci").mkdir()
    shutil.copy(root / ".ci/run", tmp_path / ".ci/run")
    for tool in (*TOOLS, "python3"):
        made.program(tool, "exit 0")
    for tool in ("dirname", "id", "timeout", "printf", "env", "bash"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    made.program(".venv/bin/tox", 'echo "closing line of $2"')
    return made


def test_every_part_runs_in_order_and_shows_its_output(ci: Ci) -> None:
    """Lint, the README's two commands and the browser: their own closing lines and a time each; exit code 0."""
    ended = ci.run()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    shown = [line.split()[-1] for line in ended.stdout.splitlines() if line.startswith("closing line of")]
    assert shown == ["lint", "sim", "test", "browser"]
    assert len([line for line in ended.stdout.splitlines() if " s   exit code 0" in line]) == 4


@pytest.mark.parametrize("part", ["lint", "sim", "test", "browser"])
def test_a_failing_part_fails_the_script_and_stops_no_other(ci: Ci, part: str) -> None:
    """One part ends with 3: the others run all the same, and the script names it and exits non-zero."""
    ci.program(".venv/bin/tox", f'echo "closing line of $2"; [ "$2" != {part} ] || exit 3')
    ended = ci.run()
    assert ended.returncode == 1
    assert f"failed: {part}\n" in ended.stdout
    assert ended.stdout.count("closing line of") == 4


@pytest.mark.parametrize(
    ("tool", "package"), [("g++", "g++"), ("chromium", "chromium"), ("chromedriver", "chromium-driver")]
)
def test_a_missing_tool_is_installed(ci: Ci, tool: str, package: str) -> None:
    """Only what is missing is asked of apt-get."""
    (ci.folder / "bin" / tool).unlink()
    ci.program("apt-get", 'echo "$@" >&2')
    ci.program("sudo", 'shift; "$@"')
    ended = ci.run()
    assert f"install -y --no-install-recommends {package}\n" in ended.stderr
    assert ended.returncode == 0


def test_an_installation_that_fails_ends_with_4(ci: Ci) -> None:
    """No package index: the script says what it could not install, and runs nothing."""
    (ci.folder / "bin" / "g++").unlink()
    ci.program("apt-get", "exit 100")
    ci.program("sudo", "exit 1")
    ended = ci.run()
    assert ended.returncode == 4
    assert "could not install: g++" in ended.stdout
    assert "closing line" not in ended.stdout
