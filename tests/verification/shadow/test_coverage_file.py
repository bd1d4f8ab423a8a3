"""What coverage.py reports of a kernel file is what ran: lines, branches, and the ordinary Python around."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

import pytest
from coverage import Coverage, CoverageData
from hypothesis import given
from hypothesis.strategies import integers, sets, tuples

from tests.verification.shadow import kernels, odd_kernels
from tests.verification.shadow.kernels import line_of, with_counts
from verification.record import Measurement
from verification.shadow.account import account, control_flow, merged, portable
from verification.shadow.columns import COMPILED, EXECUTED, TRACED, kernel_lines, loop_paths
from verification.shadow.coverage_file import write_coverage
from verification.shadow.words import arcs_from_words, arcs_in_words, lines_from_words, lines_in_words

INNER = ("if", "call", "elif", "second turn", "else")
CALLED = ("add_twice", "add_twice, second")


def record(launch, *counts, compiled=("none of them",)):
    """A record of launches of the same kernel with these tables."""
    return record_of([account(with_counts(launch, one)) for one in counts], compiled)


def record_of(accounts, compiled):
    """A record of launches."""
    flow = control_flow(accounts, compiled)
    measurement = Measurement(executed=merged(accounts, compiled), control_flow=flow, trips=accounts[0].trips)
    return SimpleNamespace(measurement=measurement)


def report(folder, records):
    """coverage.py's analysis of the kernel file after the data were written."""
    write_coverage(kernel_lines(records), folder / "data")
    coverage = Coverage(data_file=str(folder / "data"), config_file=False, branch=True)
    coverage.load()
    return coverage._analyze(kernels.__file__)


@pytest.mark.parametrize(
    ("trips", "not_run"),
    [(0, {*INNER, *CALLED}), (1, {"elif", "second turn", "else"}), (2, {"else"}), (3, set())],
)
def test_missing_lines_are_those_that_did_not_run(recorded, tmp_path, trips, not_run):
    analysis = report(tmp_path, [record(recorded[0], [[trips, 1, 0, 1]])])
    ours = {line_of(name): name for name in (*INNER, *CALLED, "untaken", "taken", "unrolled body", "assemble", "C")}
    assert {ours[line] for line in analysis.missing if line in ours} == {*not_run, "untaken"}


def test_missing_branches_are_those_not_taken(recorded, tmp_path):
    analysis = report(tmp_path, [record(recorded[0], [[1, 1, 0, 1]])])
    missing = {line: set(to) for line, to in analysis.missing_branch_arcs().items()}
    assert missing[line_of("untaken else")] == {line_of("untaken")}
    assert missing[line_of("if")] == {line_of("elif")}
    assert not {line_of("U"), line_of("C"), line_of("unrolled")} & set(missing)


def test_nothing_is_missing_once_every_path_ran(recorded, tmp_path):
    records = [record(recorded[0], [[3, 1, 0, 2], [0, 0, 0, 0]]), record(recorded[0], [[0, 0, 0, 0]])]
    analysis = report(tmp_path, records)
    first, last = line_of("U"), line_of("assemble")
    assert not {line for line in (*analysis.missing, *analysis.missing_branch_arcs()) if first <= line <= last}
    assert not {line_of(name) for name in CALLED} & set(analysis.missing)


def test_no_arc_is_unknown_to_coverage(recorded, tmp_path):
    """An arc that coverage.py's own reading of the file does not have, entries aside, would be one that we made up."""
    analysis = report(tmp_path, [record(recorded[0], kernels.FOUR_UNITS)])
    made_up = set(analysis.arcs_executed) - set(analysis.arc_possibilities)
    assert {first < 0 for first, _ in made_up} <= {True}
    assert {first for first, last in analysis.arcs_executed if last < 0} == {line_of("U"), line_of("add_twice, second")}


def test_what_coverage_saw_of_the_trace_is_dropped_and_the_rest_kept(recorded, tmp_path):
    data = CoverageData(basename=str(tmp_path / "data"))
    outside = line_of("a line of ordinary Python")
    data.add_arcs({kernels.__file__: {(-1, line_of("untaken")), (line_of("untaken"), -1), (outside - 1, outside)}})
    data.write()
    analysis = report(tmp_path, [record(recorded[0], [[1, 1, 0, 1]])])
    assert line_of("untaken") in analysis.missing
    assert line_of("taken") not in analysis.missing
    assert outside not in analysis.missing


def test_data_without_arcs_gets_lines(recorded, tmp_path):
    data = CoverageData(basename=str(tmp_path / "data"))
    data.add_lines({kernels.__file__: {line_of("untaken"), line_of("a line of ordinary Python")}})
    data.write()
    write_coverage(kernel_lines([record(recorded[0], [[1, 1, 0, 1]])]), tmp_path / "data")
    data = CoverageData(basename=str(tmp_path / "data"))
    data.read()
    found = set(data.lines(kernels.__file__))
    assert {line_of("taken"), line_of("a line of ordinary Python")} <= found
    assert line_of("untaken") not in found


def test_paths_compiled_and_executed(recorded):
    launch, simulated, _, _ = recorded
    one = record(launch, kernels.FOUR_UNITS, compiled=simulated.compiled)
    loops = {paths.loop: paths for paths in loop_paths([one])}
    assert loops["C"].trips == (0, 1, 2, 3)
    assert [len(loops["C"].paths(column)) for column in (TRACED, COMPILED, EXECUTED)] == [3, 3, 3]
    assert [len(loops["U"].paths(column)) for column in (TRACED, COMPILED, EXECUTED)] == [2, 2, 1]


def test_what_was_not_compiled_is_traced_only(recorded):
    launch, simulated, _, _ = recorded
    last = else_path(launch)
    compiled = [name for name in simulated.compiled if not name.startswith(f"TENSOR_C_Unroll1_PATH{last}_")]
    (kernel,) = kernel_lines([record(launch, [[1, 1, 0, 1]], compiled=compiled)])
    states = {name: kernel.state(line_of(name)) for name in ("if", "elif", "second turn", "else", "untaken", "taken")}
    assert states == {
        "if": EXECUTED,
        "elif": COMPILED,
        "second turn": COMPILED,
        "else": TRACED,
        "untaken": COMPILED,
        "taken": EXECUTED,
    }
    assert kernel.state(line_of("a line of ordinary Python")) == ""


def else_path(launch):
    """PyPTO's number of the path of loop C that goes through its else."""
    ways = [
        one
        for one in account(launch).paths
        if one.loop == "C" and line_of("else") in one.lines[portable(kernels.__file__)]
    ]
    return ways[0].number


def test_arms_of_branches_in_each_column(recorded):
    launch, simulated, _, _ = recorded
    (kernel,) = kernel_lines([record(launch, [[1, 1, 0, 1]], compiled=simulated.compiled)])
    untaken = (line_of("untaken else"), line_of("untaken"))
    assert untaken in kernel.branches(TRACED)
    assert untaken in kernel.branches(COMPILED)
    assert untaken not in kernel.branches(EXECUTED)
    assert (line_of("untaken else"), line_of("taken")) in kernel.branches(EXECUTED)
    assert {first for first, _ in kernel.arms} == {
        line_of(name) for name in ("U", "C", "if", "elif", "unrolled", "untaken else")
    }


def test_records_that_do_not_say_what_was_compiled_are_left_out(recorded):
    """They are of versions that did not note it; a column made up for them would be wrong."""
    old = record(recorded[0], [[1, 1, 0, 1]])
    old = SimpleNamespace(measurement=dataclasses.replace(old.measurement, control_flow={}))
    assert kernel_lines([old]) == []
    assert loop_paths([old]) == []


def test_ordinary_helper_called_by_the_host_too_keeps_what_the_host_ran(forked, tmp_path):
    """Only what the parser reads is taken from coverage.py's account."""
    launch = forked(odd_kernels.run, "static", [[0, 0, 0, 0]], tmp_path / "pypto")
    data = CoverageData(basename=str(tmp_path / "data"))
    lines = Path(odd_helpers).read_text(encoding="utf-8").splitlines()
    tripled, shared = (1 + next(n for n, one in enumerate(lines) if one.endswith(f"# {mark}")) for mark in HOST)
    data.add_arcs({odd_helpers: {(-tripled + 2, tripled), (tripled, -tripled + 2)}})
    data.write()
    write_coverage(kernel_lines([record_of([launch.account], launch.simulated.compiled)]), tmp_path / "data")
    data = CoverageData(basename=str(tmp_path / "data"))
    data.read()
    assert {tripled, shared} <= set(data.lines(odd_helpers))


HOST = ("tripled", "shared")
odd_helpers = str(Path(odd_kernels.__file__).with_name("odd_helpers.py"))


@given(sets(integers(1, 60)))
def test_lines_as_words_and_back(lines):
    assert lines_from_words(lines_in_words(lines)) == lines


@given(sets(tuples(integers(-20, 20), integers(-20, 20))))
def test_arcs_as_words_and_back(arcs):
    assert arcs_from_words(arcs_in_words(arcs)) == arcs


def test_words_are_short():
    assert lines_in_words([9, 3, 7, 8, 20]) == "3, 7-9, 20"
    assert arcs_in_words([(-2, 3), (3, 7), (7, 3), (3, -2)]) == "-2>3>-2, 3>7>3"
