"""What coverage.py reports of a kernel file is what ran: lines, branches, and the ordinary Python around."""

import dataclasses
from types import SimpleNamespace

import pytest
from coverage import Coverage, CoverageData

from tests.verification.shadow import kernels
from tests.verification.shadow.kernels import line_of, with_counts
from verification.record import Measurement
from verification.shadow.account import account, merged
from verification.shadow.coverage_file import kernel_lines, lines_in_words, loop_paths, write_coverage

INNER = ("if", "call", "elif", "second turn", "else")
CALLED = ("add_twice", "add_twice, second")


def record(launch, *counts):
    """A record of launches of the same kernel with these tables."""
    accounts = [account(with_counts(launch, one)) for one in counts]
    return SimpleNamespace(measurement=Measurement(executed=merged(accounts), trips=accounts[0].trips))


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
    one = record(launch, kernels.FOUR_UNITS)
    measurement = dataclasses.replace(one.measurement, compiled=tuple(simulated.compiled), paths=tuple(simulated.paths))
    loops = {paths.loop: paths for paths in loop_paths([SimpleNamespace(measurement=measurement)])}
    assert loops["C"].trips == (0, 1, 2, 3)
    assert len(loops["C"].executed) == len(loops["C"].compiled) == 3
    assert len(loops["U"].executed) < len(loops["U"].compiled)


def test_lines_in_words():
    assert lines_in_words([9, 3, 7, 8, 20]) == "3, 7-9, 20"
