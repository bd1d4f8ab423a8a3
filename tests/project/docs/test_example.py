"""The example of a DUT of one's own: the page shows its files as they are, and it runs when installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.docs.blocks import blocks

EXAMPLE = Path("docs/examples/softmax")


def test_the_page_shows_the_files_as_they_are(root: Path) -> None:
    """Every block of Python and TOML on the page stands in a file of the example."""
    files = "\n".join(path.read_text(encoding="utf-8") for path in (root / EXAMPLE).glob("*.*"))
    shown = [one for one in blocks(root / "docs/how-to/verify-your-own-kernel.md") if one.language != "bash"]
    assert len(shown) > 3
    assert [one.place for one in shown if one.text.rstrip() not in files] == []


@pytest.fixture
def site(checkout: Path, tmp_path: Path) -> Path:
    """A folder in which the example is installed, so that no other environment gets it."""
    shutil.copytree(checkout / EXAMPLE, tmp_path / "example")
    install = (
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        str(tmp_path / "site"),
    )
    subprocess.run([sys.executable, "-m", "pip", *install, str(tmp_path / "example")], check=True)
    return tmp_path / "site"


def test_the_example_runs(site: Path, checkout: Path, environment: dict[str, str]) -> None:
    """Installed beside the project, its three cases pass."""
    variables = environment | {"PYTHONPATH": f"{site}:{environment['PYTHONPATH']}"}
    command = [sys.executable, "-m", "verification.cli", "run", "--dut", "example.softmax", "--suite", "example"]
    ended = subprocess.run(
        [*command, "--out", "out/example"], cwd=checkout, env=variables, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    records = (checkout / "out/example/records.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["verdict"] for line in records) == ["PASS"] * 3


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (("", ""), "all 8 results are what they should be"),
        (("pypto.amax(tile, -1, True)", "pypto.sum(tile, -1, True)"), "softmax_kernel.py:14"),
    ],
)
def test_the_example_is_explained(
    site: Path, checkout: Path, environment: dict[str, str], fault: tuple[str, str], found: str
) -> None:
    """Its dataflow agrees with the kernel as it is, and names the statement of a fault."""
    kernel = site / "softmax_kernel.py"
    kernel.write_text(kernel.read_text(encoding="utf-8").replace(*fault), encoding="utf-8")
    variables = environment | {"PYTHONPATH": f"{site}:{environment['PYTHONPATH']}"}
    command = [sys.executable, "-m", "verification.cli", "replay", "example.softmax:large values", "--explain"]
    ended = subprocess.run(command, cwd=checkout, env=variables, capture_output=True, text=True, check=False)
    assert found in ended.stdout, ended.stdout + ended.stderr
