"""A folder belongs to one run, and a run to one writer."""

from tests.support import runs
from tests.support.kills import wait_for_records


def test_second_run_is_refused_and_the_first_goes_on(place):
    """``--out`` of a run that is there: 2. Resuming a run that is being written: 4. The first one notices nothing."""
    words = place.fake("toy-many", seconds=0.4)
    first = place.start(*words, "--out", "out/mine")
    wait_for_records(first, place.cwd, 1)
    second = place.bsa_verify(*words, "--out", "out/mine")
    assert second.returncode == 2
    assert "holds a run already" in second.stderr
    assert second.stderr.count("\n") == 1
    third = place.bsa_verify("run", "--resume", "out/mine")
    assert third.returncode == 4
    assert "another process is writing this run" in third.stderr
    assert first.wait(timeout=600) == 0, first.stderr
    assert len(place.run().records) == 40


def test_of_two_runs_started_together_one_gets_the_folder(place):
    """However close they start, exactly one writes its plan; the other is told."""
    words = place.fake("toy")
    commands = [place.start(*words, "--out", "out/mine") for _ in range(3)]
    codes = sorted(command.wait(timeout=600) for command in commands)
    assert codes == [0, 2, 2], [command.stderr for command in commands]
    assert set(runs.verdicts(place.run()).values()) == {"PASS"}
