"""A kernel with every form of control flow: exactly the lines that ran, and PyPTO's own account agrees."""

import pytest

from tests.verification.shadow import kernels
from tests.verification.shadow.kernels import FOUR_UNITS, line_of, with_counts
from verification.shadow import Observer, crosscheck, replay
from verification.shadow.crosscheck import Roots


class Lines(Observer):
    def __init__(self):
        self.seen = []

    def line(self, place):
        self.seen.append(place.line)


def lines(launch, counts):
    """Lines of a replay with another table."""
    observer = Lines()
    replay(with_counts(launch, counts), [observer])
    return observer.seen


def test_recording_leaves_the_kernel_right_and_nothing_patched(recorded):
    _, _, column, (left, problem) = recorded
    assert column == [2, 8, 10, 12]
    assert (left, problem) == ([], "")


def test_replay_calls_what_pypto_called(recorded):
    launch, simulated, _, _ = recorded
    roots = Roots()
    replay(launch, [roots])
    assert crosscheck(roots.names, simulated) is None
    assert sum(len(window) for window in simulated.calls) > 8


def test_another_table_is_told_from_the_one_that_ran(recorded):
    launch, simulated, _, _ = recorded
    roots = Roots()
    other = [[1, 1, 0, 4], *FOUR_UNITS[1:]]
    replay(with_counts(launch, other), [roots])
    found = crosscheck(roots.names, simulated)
    assert found is not None
    assert "TENSOR_C_" in found.replayed


@pytest.mark.parametrize(
    ("trips", "ran", "not_run"),
    [
        (0, (), ("if", "call", "add_twice", "elif", "second turn", "else")),
        (1, ("if", "call", "add_twice", "add_twice, second"), ("elif", "second turn", "else")),
        (2, ("if", "call", "add_twice", "elif", "second turn"), ("else",)),
        (3, ("if", "call", "add_twice", "elif", "second turn", "else"), ()),
    ],
)
def test_lines_are_those_that_ran(recorded, trips, ran, not_run):
    seen = set(lines(recorded[0], [[trips, 1, 0, 1]]))
    always = ("U", "C", "total is zero", "unrolled", "unrolled body", "untaken else", "taken", "assemble")
    assert {line_of(name) for name in (*always, *ran)} <= seen
    assert not {line_of(name) for name in (*not_run, "untaken")} & seen


def test_loop_without_iterations_runs_its_header_only(recorded):
    seen = lines(recorded[0], [[3, 1, 0, 0]])
    assert seen[-1] == line_of("U")
    assert line_of("total is zero") not in seen


def test_trace_sees_both_arms(recorded):
    traced = recorded[0].trace.lines()[kernels.__file__]
    assert {line_of("untaken"), line_of("taken"), line_of("else")} <= traced


def test_order_follows_the_program(recorded):
    seen = lines(recorded[0], [[1, 0, 0, 1]])
    inner = [line_of(name) for name in ("if", "call", "add_twice", "add_twice, second", "C")]
    assert inner == seen[seen.index(inner[0]) :][: len(inner)]
    unrolled = [line_of(name) for name in ("unrolled", "unrolled body", "unrolled", "unrolled body", "unrolled")]
    assert unrolled == seen[seen.index(unrolled[0]) :][: len(unrolled)]
    assert seen[-3:] == [line_of("untaken"), line_of("assemble"), line_of("U")]
