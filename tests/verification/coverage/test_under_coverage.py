"""``coverage run``: lines that only forked children run, and the kernel's as replayed, with any number of workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import coverage
import pytest

TOY = Path(__file__).parents[2] / "support" / "toy"
SETTINGS = """\
[run]
branch = true
parallel = true
patch = subprocess, _exit
data_file = {folder}/.coverage
source_pkgs =
    toy_dut
    toy_kernel
"""
STARTUP = "import coverage\ncoverage.process_startup()\n"
"""As coverage.py's own .pth file, which an environment on top of another one may not have."""
CASES = ("rows 64", "rows 128", "segfault")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """By number of workers, a folder with the data of a run of three cases, of which one kills its child."""
    return {workers: measured(tmp_path_factory.mktemp("measured"), workers) for workers in ("1", "2")}


@pytest.fixture(params=["1", "2"])
def folder(request, folders):
    """The folder of each of them."""
    return folders[request.param]


def measured(folder, workers):
    settings = folder / "coveragerc"
    settings.write_text(SETTINGS.format(folder=folder), encoding="utf-8")
    (folder / "sitecustomize.py").write_text(STARTUP, encoding="utf-8")
    paths = os.pathsep.join((str(folder), str(TOY), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "PYTHONPATH": paths, "COVERAGE_PROCESS_START": str(settings)}
    run = ("run", "--dut", "toy.double", "--cases", *CASES, "-n", workers, "--out", "out")
    for arguments, code in ((("run", "-m", "verification.cli", *run), 1), (("combine",), 0)):
        action, *rest = arguments
        command = [sys.executable, "-m", "coverage", action, f"--rcfile={settings}", *rest]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        assert action == "combine" or "2 passed, 1 failed" in done.stdout
    return folder


def lines(folder, name):
    data = coverage.CoverageData(basename=str(folder / ".coverage"))
    data.read()
    file = next(file for file in data.measured_files() if file.endswith(name))
    return set(data.lines(file))


def line_of(name, text):
    numbered = enumerate((TOY / name).read_text(encoding="utf-8").splitlines(), 1)
    return next(number for number, line in numbered if text in line)


def test_lines_that_only_children_run_are_there(folder):
    """The wrapper's; those of the child that died are lost with it, and no others."""
    found = lines(folder, "toy_dut.py")
    assert {line_of("toy_dut.py", text) for text in ("toy_kernel.double(x, out)", "import toy_kernel")} <= found
    assert line_of("toy_dut.py", 'if kind == "segfault"') in found
    assert line_of("toy_dut.py", "ctypes.string_at(0)") not in found
    assert line_of("toy_dut.py", "gold = stimulus") in found


def test_kernel_lines_are_those_that_the_replay_executed(folder):
    """Nothing more has to be done for them."""
    made = coverage.Coverage(data_file=str(folder / ".coverage"), config_file=str(folder / "coveragerc"))
    made.load()
    made.json_report(outfile=str(folder / "report.json"))
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (kernel,) = [one for name, one in report["files"].items() if name.endswith("toy_kernel.py")]
    assert (kernel["missing_lines"], kernel["missing_branches"]) == ([], [])


def test_only_what_was_asked_for_is_measured(folder):
    """Files that the measurement is not about are not added beside."""
    data = coverage.CoverageData(basename=str(folder / ".coverage"))
    data.read()
    assert {Path(file).name for file in data.measured_files()} == {"toy_dut.py", "toy_kernel.py"}


@pytest.mark.parametrize("name", ["toy_dut.py", "toy_kernel.py"])
def test_one_worker_and_two_show_the_same(folders, name):
    assert lines(folders["1"], name) == lines(folders["2"], name) != set()
