"""``clean``: what is old or too much goes, the newest run stays, nothing else is touched."""

import os
import shutil
import time

import pytest

DAY = 86400


@pytest.fixture
def aged(shell):
    """Runs named ``d0`` (newest) to ``d40`` by their age in days, each of about 100 kB; returns their folder."""
    assert shell(*shell.fake("--out", "out/d0")).returncode == 0
    out = shell.cwd / "out"
    (out / "d0" / "artefacts").mkdir(exist_ok=True)
    (out / "d0" / "artefacts" / "large").write_bytes(bytes(100_000))
    for age in (40, 20, 10, 0):
        folder = out / f"d{age}"
        if age:
            shutil.copytree(out / "d0", folder)
        for path in (*folder.rglob("*"), folder):
            os.utime(path, (time.time() - age * DAY,) * 2)
    (out / "notes").mkdir()
    (out / "notes" / "mine.txt").write_text("not a run")
    return out


def _left(out):
    return {path.name for path in out.iterdir()}


def test_age(shell, aged):
    """``--older-than 15`` removes the runs of 20 and 40 days, oldest first, and says so."""
    done = shell("clean", "--older-than", "15")
    assert done.returncode == 0
    assert _left(aged) == {"d0", "d10", "notes"}
    removed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("removes out/")]
    assert removed == ["out/d40", "out/d20"]
    assert done.stdout.splitlines()[-1] == "2 runs removed"


def test_size(shell, aged):
    """``--keep-size`` keeps the newest runs that fit together."""
    one = sum(path.stat().st_size for path in (aged / "d0").rglob("*") if path.is_file())
    assert shell("clean", "--keep-size", f"{int(one * 2.5 / 1024)}K").returncode == 0
    assert _left(aged) == {"d0", "d10", "notes"}


def test_both(shell, aged):
    """With both, a run goes if either says so."""
    assert shell("clean", "--keep-size", "1G", "--older-than", "30").returncode == 0
    assert _left(aged) == {"d0", "d10", "d20", "notes"}


def test_newest_stays(shell, aged):
    """Whatever the options say, the newest run is kept."""
    assert shell("clean", "--older-than", "0.000001", "--keep-size", "1K").returncode == 0
    assert _left(aged) == {"d0", "notes"}


def test_dry_run_and_no_options_remove_nothing(shell, aged):
    """``--dry-run`` names what would go; without options no run goes."""
    before = _left(aged)
    done = shell("clean", "--older-than", "15", "--dry-run")
    assert "out/d40" in done.stdout
    assert shell("clean").stdout.splitlines()[-1] == "0 runs removed"
    assert _left(aged) == before


def test_no_runs(shell):
    """Where there is nothing, nothing is removed, and that is no error."""
    done = shell("clean", "--older-than", "1")
    assert (done.returncode, done.stderr) == (0, "")
