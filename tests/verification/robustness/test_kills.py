"""SIGKILL at random moments: every run, resumed, has the undisturbed outcome; no process and no litter is left."""

import random

import pytest

from tests.support import runs
from tests.support.kills import kill_one, outcome
from tests.support.storm import Storm
from verification.runs import read_run

FAKE_ROLES = ("controller", "controller", "worker", "child", "child")
SIM_ROLES = ("controller", "worker", "parent", "child")


def undisturbed(place, words):
    """The outcome of the run when nobody kills anything."""
    folder = place.cwd / "undisturbed"
    done = place.bsa_verify("run", *words, "-n", 1, "--out", folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return outcome(read_run(folder))


def fake_storm(place, seed):
    """Eight cases of a tenth of a second with declared behaviours, one that fails and one that crashes among them."""
    cases = [f"many {n}" for n in range(1, 9)]
    declared = {"many 3": "zeros", "many 5": "crash"}
    words = (*place.fake("toy-many", seconds=0.1, workers=None, **declared)[1:], "--cases", *cases)
    expected = undisturbed(place, words)
    return Storm(place, words, expected, seed=seed, roles=FAKE_ROLES, spans={1: 1.5, 2: 5.0})


def sim_storm(place, seed):
    """Two kernels of 64 and 128 rows in the simulator, and a case that fails without one."""
    words = ("--dut", "toy.double", "--suite", "toy", "toy-wrong", "--cases", "rows 64", "rows 128", "no-kernel")
    expected = undisturbed(place, words)
    return Storm(place, words, expected, seed=seed, roles=SIM_ROLES, spans={1: 8.0, 2: 12.0})


def test_worker_that_is_killed_while_it_starts(place):
    """It takes the session of pytest along, which is begun again; the run notices nothing."""
    command = place.start(*place.fake("toy", workers=2))
    assert kill_one(command, "worker", random.Random(0))
    assert command.wait(timeout=600) == 0, command.stdout + command.stderr
    assert runs.verdicts(place.run()) == {"rows 64": "PASS", "rows 128": "PASS", "rows 192": "PASS"}


def test_six_kills_with_declared_behaviours(place):
    """A few kills of every role, in each run of the tests."""
    storm = fake_storm(place, seed=1)
    storm.blow(6)
    assert len(storm.hits) == 6


def test_a_kill_in_the_simulator(place):
    """One kill among real kernels, in each run of the tests."""
    storm = sim_storm(place, seed=1)
    storm.blow(1)
    assert len(storm.hits) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 111))
def test_176_kills_with_declared_behaviours(place, record_property, seed):
    """Sixteen kills for each of eleven seeds, of every role."""
    storm = fake_storm(place, seed)
    storm.blow(16)
    assert len(storm.hits) == 16
    record_property("hits", storm.hits)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(200, 204))
def test_24_kills_in_the_simulator(place, record_property, seed):
    """Six kills for each of four seeds, the warm parent among the roles."""
    storm = sim_storm(place, seed)
    storm.blow(6)
    assert len(storm.hits) == 6
    record_property("hits", storm.hits)
