"""A full disk ends a run with one clear line and 4; nothing that was recorded is lost, and the run can be resumed."""

import pytest

from tests.support import runs
from tests.support.kills import outcome, wait_for_records
from tests.support.machine import small_disk
from verification.runs import read_run


@pytest.fixture
def disk(place):
    """A file system of 2 MiB in place of ``out``."""
    (place.cwd / "out").mkdir()
    with small_disk(place.cwd / "out", "2m") as made:
        yield made


def test_records_on_a_full_disk(place, disk):
    """The run ends with 4, keeps what it has, and gives the undisturbed outcome once it is resumed."""
    disk.fill(leave=100 << 10)
    words = place.fake("toy-many", **{"many 3": "zeros", "many 5": "crash"})
    done = place.bsa_verify(*words, confine=disk.confine)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "No space left on device" in done.stderr
    assert "--resume" in done.stderr
    assert done.stderr.count("\n") == 1
    folder = next(path.parent for path in disk.folder.glob("*/plan.json"))
    kept = read_run(folder).records
    assert 0 < len(kept) < 40
    disk.relieve()
    again = place.bsa_verify("run", "--resume", "latest", confine=disk.confine)
    assert again.returncode == 1, again.stderr
    assert read_run(folder).records[: len(kept)] == kept
    (place.cwd.parent / "undisturbed").mkdir()
    runs.bsa_verify(*words, cwd=place.cwd.parent / "undisturbed")
    assert outcome(read_run(folder)) == outcome(runs.run_of(place.cwd.parent / "undisturbed"))


def test_plan_on_a_full_disk(place, disk):
    """A plan that cannot be written leaves no half of it."""
    disk.fill(leave=4 << 10)
    done = place.bsa_verify(*place.fake("toy-many"), confine=disk.confine)
    assert done.returncode == 4
    assert "cannot write" in done.stderr
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path for path in disk.folder.glob("*/*") if path.is_file()] == []


def test_report_on_a_full_disk(place, disk):
    """Records that fit and a report that does not: 4, and the command that makes the report once there is room."""
    disk.fill(leave=60 << 10)
    done = place.bsa_verify(*place.fake("toy"), confine=disk.confine)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "bsa-verify report" in done.stderr
    assert "3 passed, 0 failed" in done.stdout
    disk.relieve()
    assert place.bsa_verify("report", "latest", confine=disk.confine).returncode == 0
    folder = next(path.parent for path in disk.folder.glob("*/plan.json"))
    assert (folder / "index.html").stat().st_size > 60 << 10


def test_files_that_may_not_grow(place):
    """The same by a limit on the size of files (EFBIG), which needs no file system of its own."""
    done = place.bsa_verify(*place.fake("toy"), confine=[("small_files", 60 << 10)])
    assert done.returncode == 4, done.stdout + done.stderr
    assert "File too large" in done.stderr
    assert len(place.run().records) == 3


def test_scratch_without_room_is_said_at_the_start(place):
    """A scratch folder on a tiny file system is found before anything runs."""
    with small_disk(place.scratch, "16m") as disk:
        done = place.bsa_verify(*place.sim("rows 64"), confine=disk.confine)
        assert done.returncode == 4
        assert "BSA_SCRATCH" in done.stderr
        assert done.stderr.count("\n") == 1
        assert list(place.cwd.iterdir()) == []


def test_case_that_fills_the_scratch_folder(place):
    """It is ended from outside, with the reason in its record; room is made again and the next case passes."""
    with small_disk(place.scratch, "600m") as disk:
        words = ("run", "--dut", "toy.double", "--suite", "toy-full", "toy", "--cases", "fill-disk", "rows 64", "-n", 1)
        done = place.bsa_verify(*words, confine=disk.confine)
        assert done.returncode == 3, done.stdout + done.stderr
        assert runs.verdicts(place.run()) == {"fill-disk": "INFRA", "rows 64": "PASS"}
        reasons = {record.reason for record in place.run().records if record.verdict == "INFRA"}
        assert all("is full" in reason and "BSA_SCRATCH" in reason for reason in reasons)
        assert list(disk.folder.iterdir()) == []


def test_scratch_that_others_fill_ends_the_run(place):
    """A disk that somebody else fills during the run ends it with 4; the cases before it are recorded."""
    with small_disk(place.scratch, "600m") as disk:
        words = ("run", "--dut", "toy.double", "--suite", "toy-many", "-n", 1)
        command = place.start(*words, confine=disk.confine)
        wait_for_records(command, place.cwd, 2)
        disk.fill(leave=0)
        assert command.wait(timeout=600) == 4, command.stdout + command.stderr
        assert "BSA_SCRATCH" in command.stderr
        verdicts = set(runs.verdicts(place.run()).values())
        assert verdicts <= {"PASS", "INFRA", "NOT_RUN"}
        disk.relieve()
        assert list(disk.folder.iterdir()) == []


def test_small_shared_memory(place):
    """A /dev/shm of 1 MiB, as containers have it, sends scratch files to the disk; the run passes."""
    with small_disk("/dev/shm", "1m") as disk:  # noqa: S108 - the place itself is the point
        env = {"BSA_SCRATCH": ""}
        done = place.bsa_verify(*place.sim("rows 64"), env=env, confine=disk.confine)
        assert done.returncode == 0, done.stdout + done.stderr
        doctor = place.bsa_verify("doctor", env=env, confine=disk.confine)
        assert doctor.returncode == 0
        assert str(place.temporary) in doctor.stdout
        assert list(disk.folder.iterdir()) == []
