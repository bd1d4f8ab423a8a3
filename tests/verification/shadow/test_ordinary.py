"""Watching ordinary functions during a trace leaves coverage.py's own account whole."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from verification.changes.host_lines import host_lines
from verification.shadow.ordinary import Ordinary


def watcher():
    """A watcher, and the arcs that it notes."""
    found = []
    return Ordinary(SimpleNamespace(__file__="/nowhere/pypto/__init__.py"), found.append), found


def helper(x):
    y = x + 1  # helper
    return y  # noqa: RET504  # helper, last


def raising():
    try:
        raise ValueError  # noqa: TRY301  # raising
    except ValueError:
        return helper(1)  # raising, last


def around(ordinary, function, depth):
    """Calls a function while watching, some calls deep."""
    if depth:
        around(ordinary, function, depth - 1)  # deeper
        return  # shallower
    before = 1  # before
    ordinary.watch(function)
    after = before + 1  # after
    plain(after)  # plain called


def plain(x):
    return x  # plain


def never():
    return 1  # never


def line_of(mark):
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_lines_around_are_counted_and_those_inside_are_not(depth):
    ordinary, _ = watcher()
    found = {}
    with host_lines(found):
        around(ordinary, lambda: helper(1), depth)
    mine = found.pop(__file__)
    expected = {"before", "after", "plain called", "plain", *(("deeper", "shallower") if depth else ())}
    marks = ("before", "after", "plain called", "plain", "deeper", "shallower", "never", "helper", "helper, last")
    assert {mark for mark in marks if line_of(mark) in mine} == expected
    assert all(max(lines) <= len(Path(file).read_text("utf-8").splitlines()) for file, lines in found.items())


def test_the_trace_function_that_was_set_is_put_back():
    ordinary, _ = watcher()
    before = sys.gettrace()
    ordinary.watch(lambda: None)
    assert sys.gettrace() is before
    with pytest.raises(ZeroDivisionError):
        ordinary.watch(lambda: 1 // 0)
    assert sys.gettrace() is before


def test_arcs_are_those_of_coverage():
    ordinary, found = watcher()
    ordinary.watch(raising)
    first, entered = line_of("helper") - 1, line_of("raising") - 2
    arcs = found[0][__file__]
    assert {(-first, first + 1), (first + 1, first + 2), (first + 2, -first)} <= arcs
    assert (-entered, entered + 1) in arcs
    assert (line_of("raising, last"), -entered) in arcs
    assert (line_of("raising"), -entered) not in arcs


def test_one_call_is_told_once_with_all_that_it_calls():
    ordinary, found = watcher()
    ordinary.watch(lambda: [helper(1), helper(2)])
    assert len(found) == 1
    assert set(found[0]) == {__file__}


def test_what_the_parser_reads_is_left_out():
    ordinary, found = watcher()
    ordinary.parsed(__file__, 1, 10_000)
    ordinary.watch(lambda: helper(1))
    assert found == []
