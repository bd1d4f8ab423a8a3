"""The table of exit codes and their precedence (docs/reference/cli/index.md), line by line, from whole commands."""

import json

import pytest

from tests.support.kills import wait_for_records
from tests.support.place import Place

PASSED, FAILED, USAGE, INCOMPLETE, ENVIRONMENT = range(5)


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.assert_clean()


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ({}, PASSED),
        ({"rows 64": "zeros"}, FAILED),
        ({"rows 64": "crash"}, FAILED),
        ({"rows 64": "interrupted"}, INCOMPLETE),
        ({"rows 64": "interrupted", "rows 128": "timeout"}, FAILED),
    ],
    ids=["passed", "failed", "crashed", "incomplete", "1 before 3"],
)
def test_of_what_the_cases_did(place, declared, code):
    """0, 1 and 3, and 1 before 3."""
    assert place.bsa_verify(*place.fake("toy", **declared)).returncode == code


def test_nothing_selected(place):
    """A selection without a case is a usage error; nothing is written."""
    done = place.bsa_verify(*place.fake("toy"), "--cases", "absent")
    assert done.returncode == USAGE, done.stderr
    assert list(place.cwd.iterdir()) == []


def test_environment_before_failure(place):
    """4 before 1: a disk that refuses the records of a run in which a case has failed."""
    done = place.bsa_verify(*place.fake("toy-many", **{"many 1": "zeros"}), confine=[("small_files", 40 << 10)])
    assert done.returncode == ENVIRONMENT, done.stdout + done.stderr
    assert "FAIL" in done.stdout


def test_usage_before_environment(place):
    """2 before 4: what is wrong with the command is said first, though the machine lacks a compiler."""
    empty = place.cwd.parent / "empty"
    empty.mkdir()
    for words in (("run", "--suite", "absent"), ("replay", "absent"), ("run", "--baseline", "absent")):
        assert place.bsa_verify(*words, env={"PATH": str(empty)}).returncode == USAGE


def test_the_closing_event_has_the_code(place):
    """What the run says of itself is what its process ended with."""
    command = place.start(*place.fake("toy", **{"rows 64": "zeros"}))
    wait_for_records(command, place.cwd, 1)
    assert command.wait(timeout=120) == FAILED
    last = json.loads((place.run().path / "manifest.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert (last["event"], last["exit_code"]) == ("finish", FAILED)
