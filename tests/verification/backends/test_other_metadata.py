"""A warm parent that finds other metadata than the process that asks it says so: one line, exit code 4."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.attempts import attempt
from verification.backends import BackendError, open_backend

SCRIPT = "import sys\nfrom verification.cli.main import main\nsys.exit(main())\n"
"""As the command that pip installs: the current folder is not where it looks for modules."""


def test_a_dut_that_the_parent_does_not_find_is_an_error_of_the_environment(tmp_path, monkeypatch):
    """No case is judged by it."""
    monkeypatch.setenv("PYTHONPATH", "")
    backend = open_backend("sim", {})
    try:
        with pytest.raises(BackendError) as caught:
            attempt(backend, tmp_path, "toy.double", "rows 64")
    finally:
        backend.close()
    (line,) = str(caught.value).splitlines()
    assert "'toy.double'" in line
    assert "old *.egg-info" in line


def test_old_metadata_in_the_current_folder_cost_one_line(tmp_path):
    """A fresh process looks there first, the installed command does not."""
    old = tmp_path / "here" / "bsa_verification.egg-info"
    old.mkdir(parents=True)
    (old / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: bsa-verification\nVersion: 0.0.1\n", encoding="utf-8")
    (old / "entry_points.txt").write_text("[verification.duts]\n", encoding="utf-8")
    script = tmp_path / "script" / "command.py"
    script.parent.mkdir()
    script.write_text(SCRIPT, encoding="utf-8")
    command = ("run", "--dut", "bsa.forward", "--cases", "S256 Sparse50", "--suite", "published", "-n", "1")
    paths = [str(Path(entry).resolve()) for entry in os.environ["PYTHONPATH"].split(os.pathsep) if entry]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, str(script), *command],
        cwd=old.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 4, said
    (line,) = [line for line in said.splitlines() if "does not find DUT 'bsa.forward'" in line]
    assert str(old.parent) in line
    assert "Traceback" not in said
