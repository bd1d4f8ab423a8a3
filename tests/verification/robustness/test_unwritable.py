"""Where nothing can be written: current folder, output, HOME, every cache. One line each, or it simply works."""

import os
import shutil

import pytest

from bsa._pypto import cache_folder
from verification.runs import read_run

ORDINARY = [("ordinary_rights",)]
"""Root may write everywhere: it is made an ordinary user in that respect."""


@pytest.fixture
def locked(tmp_path):
    """Makes folders that their owner cannot write, for the time of the test."""
    done = []

    def lock(folder):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o555)
        done.append(folder)
        return folder

    yield lock
    for folder in done:
        folder.chmod(0o755)


def one_line(done, *words):
    """The command ended with 4 and one line that holds these words."""
    assert done.returncode == 4, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_current_folder(place, locked):
    """A run names the folder that it cannot make; elsewhere, by ``--out``, it works."""
    locked(place.cwd)
    one_line(place.bsa_verify(*place.fake("toy"), confine=ORDINARY), "cannot write", "out/", "Permission denied")
    elsewhere = place.cwd.parent / "elsewhere"
    done = place.bsa_verify(*place.fake("toy"), "--out", elsewhere, confine=ORDINARY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (elsewhere / "index.html").exists()


def test_kernel_runs_though_the_current_folder_cannot_be_written(place, locked):
    """PyPTO writes nothing there."""
    locked(place.cwd)
    out = place.cwd.parent / "elsewhere"
    done = place.bsa_verify(*place.sim("rows 64"), "--out", out, confine=ORDINARY)
    assert done.returncode == 0, done.stdout + done.stderr


def test_output_folder(place, locked):
    """``--out`` in a folder that cannot be written."""
    folder = locked(place.cwd.parent / "locked")
    done = place.bsa_verify(*place.fake("toy"), "--out", folder / "mine", confine=ORDINARY)
    one_line(done, "cannot write", str(folder / "mine"), "Permission denied")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["manifest.jsonl", "records.jsonl"])
def test_records(place, name):
    """A run whose files somebody else owns is not gone on with: nothing is lost and nothing half written."""
    cases = ("--cases", "rows 64")
    declared = {"rows 64": "interrupted"}
    assert place.bsa_verify(*place.fake("toy", **declared), *cases).returncode == 3
    before = place.run().records
    path = place.run().path / name
    path.chmod(0o444)
    one_line(place.bsa_verify("run", "--resume", "latest", confine=ORDINARY), name, "Permission denied")
    assert place.run().records == before
    path.chmod(0o644)
    assert place.bsa_verify("run", "--resume", "latest").returncode == 3


def test_report(place, locked):
    """Records that can be added and a report that cannot be replaced: the line names the command to make it again."""
    assert place.bsa_verify(*place.fake("toy")).returncode == 0
    locked(place.run().path)
    one_line(place.bsa_verify("run", "--resume", "latest", confine=ORDINARY), "bsa-verify report", "Permission denied")


def home(place, locked):
    """An environment with a HOME that cannot be written and no other cache."""
    return {"HOME": str(locked(place.cwd.parent / "home")), "XDG_CACHE_HOME": ""}


def test_home(place, locked):
    """Without HOME the caches go to a folder of one's own for temporary files, and kernels run."""
    private = place.temporary / f"bsa-verification-{os.getuid()}"
    shutil.copytree(cache_folder(), private)
    private.chmod(0o700)
    done = place.bsa_verify(*place.sim("rows 64"), env=home(place, locked), confine=ORDINARY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (private / "pypto-home").is_dir()
    shutil.rmtree(private)
    assert not (place.cwd.parent / "home" / ".pypto").exists()


def test_no_cache_at_all(place, locked):
    """Neither HOME nor the temporary folder: one line that names the variable, before anything is written."""
    private = place.temporary / f"bsa-verification-{os.getuid()}"
    private.write_text("in the way")
    env = home(place, locked)
    one_line(place.bsa_verify(*place.sim("rows 64"), env=env, confine=ORDINARY), "XDG_CACHE_HOME")
    doctor = place.bsa_verify("doctor", env=env, confine=ORDINARY)
    assert doctor.returncode == 4
    assert "XDG_CACHE_HOME" in doctor.stdout
    private.unlink()
    assert list(place.cwd.iterdir()) == []


def test_scratch(place, locked):
    """A scratch folder that cannot be written is said before anything is."""
    folder = locked(place.cwd.parent / "locked")
    done = place.bsa_verify(*place.sim("rows 64"), env={"BSA_SCRATCH": str(folder)}, confine=ORDINARY)
    one_line(done, "BSA_SCRATCH", str(folder))
    assert list(place.cwd.iterdir()) == []


def test_clean(place, locked):
    """``clean`` of what it may not remove: one line, and the newest run stays whole."""
    for _ in range(2):
        assert place.bsa_verify(*place.fake("toy")).returncode == 0
    newest = place.run()
    locked(place.cwd / "out")
    one_line(place.bsa_verify("clean", "--keep-size", "1", confine=ORDINARY), "out/", "Permission denied")
    assert read_run(newest.path) == newest
