"""``run --changed`` in a folder with runs, on real records."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.runs import bsa_verify, exec_bsa_verify
from tests.verification.conftest import TOY


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a run of cases of the toy DUT, whose files can be edited."""
    folder = tmp_path_factory.mktemp("changed")
    shutil.copytree(TOY, folder / "toy")
    done = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def run(folder, *more):
    path = os.pathsep.join([str(folder / "toy"), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    fixed = ("run", "-n", "1", "--dut", "toy.double", "--suite", "toy", "--cases", "rows 64", "rows 128")
    return exec_bsa_verify(*fixed, *more, cwd=folder, env={"PYTHONPATH": path})


def plans(folder):
    found = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("out/*/plan.json")]
    return sorted(found, key=lambda plan: plan["run_id"])


def test_nothing_runs_until_a_kernel_line_changes(place):
    idle = run(place, "--changed")
    assert idle.returncode == 2
    assert "not run: 2 cases" in idle.stdout
    assert "nothing to run" in idle.stderr
    kernel = place / "toy" / "toy_kernel.py"
    text = kernel.read_text(encoding="utf-8")
    assert text.count("2.0") == 1
    kernel.write_text(text.replace("2.0", "3.0"), encoding="utf-8")
    red = run(place, "--changed")
    assert red.returncode == 1, red.stdout + red.stderr
    assert "to run: 2 cases whose last record ran what is changed, 0 new" in red.stdout
    assert plans(place)[-1]["selection"]["changed"] == []


@pytest.mark.parametrize("fault", [("pypto.mul(", "pypto.nothing("), ("2.0", "2.0 +")], ids=["refused", "no Python"])
def test_mended_statement_is_run_though_the_record_ends_before_it(place, fault):
    kernel = place / "toy" / "toy_kernel.py"
    right = Path(TOY, "toy_kernel.py").read_text(encoding="utf-8")
    assert fault[0] in right
    kernel.write_text(right.replace(*fault), encoding="utf-8")
    assert run(place, "--changed").returncode == 1
    kernel.write_text(right, encoding="utf-8")
    mended = run(place, "--changed")
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert "2 passed, 0 failed" in mended.stdout


@pytest.mark.parametrize(
    ("options", "said"), [(("--since", "HEAD"), "--changed"), (("--changed", "--since", "nowhere"), "nowhere")]
)
def test_since_needs_changed_and_a_revision(tmp_path, options, said):
    done = bsa_verify("run", "--dut", "toy.double", "--suite", "toy", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert not list(tmp_path.iterdir())
