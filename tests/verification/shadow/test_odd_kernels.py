"""Odd forms of control flow: helpers in another file, early returns, steps, unrolling; exactly the lines that ran."""

from pathlib import Path

import pytest

from tests.verification.shadow import odd_kernels
from verification.shadow import crosscheck
from verification.shadow.account import control_flow

KERNELS = Path(odd_kernels.__file__)
HELPERS = KERNELS.with_name("odd_helpers.py")


@pytest.fixture(scope="module")
def ran(forked, tmp_path_factory):
    """Runs a kernel with a table, each table once; PyPTO's own account must agree with the replay."""
    done = {}

    def run(name, table):
        key = (name, str(table))
        if key not in done:
            done[key] = forked(odd_kernels.run, name, table, tmp_path_factory.mktemp(name))
            assert crosscheck(done[key].account.roots, done[key].simulated) is None
        return done[key]

    return run


def marks(file, *, of=""):
    """Line by comment at its end."""
    text = file.read_text(encoding="utf-8").splitlines()
    found = {line.rsplit("  # ", 1)[1]: number for number, line in enumerate(text, 1) if "  # " in line}
    return {mark: number for mark, number in found.items() if mark.startswith(of)}


def executed(ran, file, of):
    """Marked lines that ran, of those whose mark begins so."""
    found = ran.lines(str(file), "executed")
    return {mark for mark, line in marks(file, of=of).items() if line in found}


@pytest.mark.parametrize(
    ("choice", "factor", "helper"),
    [
        (0, 2.0, set()),
        (1, 2.0, {"doubled: factor", "doubled: if", "doubled: early return"}),
        (2, 3.0, {"tripled"}),
        (3, 0.5, {"halved", "wrapper"}),
        (4, 2.0, {f"summed: {part}" for part in ("lambda", "comprehension", "first", "loop", "body", "return")}),
    ],
)
def test_ordinary_helper_ran_only_where_the_arm_that_calls_it_did(ran, choice, factor, helper):
    launch = ran("plain_helpers", [[choice, 0, 0, 0]])
    assert launch.column == [factor]
    assert executed(launch, HELPERS, "") == helper
    assert marks(HELPERS)["doubled: late return"] not in launch.lines(str(HELPERS), "traced")
    assert {marks(HELPERS)[mark] for mark in ("tripled", "halved", "wrapper")} <= launch.lines(str(HELPERS), "traced")


@pytest.mark.parametrize(
    ("row", "value", "lines"),
    [
        ([0, 0, 0, 0], 0.0, set()),
        ([1, 0, 0, 0], 0.0, {"B"}),
        ([1, 1, 0, 0], 1.5, {"B", "beyond", "end", "one", "half"}),
        ([1, 4, 9, 0], 2.0, {"B", "beyond", "end", "one", "half"}),
        ([2, 3, 0, 0], 30.5, {"B", "beyond", "ten", "end", "half"}),
        ([3, 4, 1, 0], 50.5, {"B", "beyond", "ten", "end", "half"}),
    ],
)
def test_nested_loops_with_a_step_and_a_condition_on_both_indices(ran, row, value, lines):
    launch = ran("nested", [row])
    assert launch.column == [value]
    assert executed(launch, KERNELS, "nested: ") == {f"nested: {part}" for part in (*lines, *ALWAYS)}


ALWAYS = ("U", "zero", "A", "assemble")


@pytest.mark.parametrize(
    ("row", "value", "lines"),
    [
        ([0, 0, 0, 0], 0.0, set()),
        ([1, 1, 0, 0], 1001.0, {"if", "one", "rest"}),
        ([6, 2, 0, 0], 2105.0, {"if", "one", "five", "two"}),
        ([7, 3, 0, 0], 3106.0, {"if", "one", "five", "two", "rest"}),
    ],
)
def test_unrolled_loops(ran, row, value, lines):
    launch = ran("unrolled", [row])
    assert launch.column == [value]
    assert executed(launch, KERNELS, "unrolled: ") == {f"unrolled: {part}" for part in (*lines, "A", "V")}


def test_what_python_decides_while_it_traces(ran):
    launch = ran("static", [[0, 0, 0, 0]])
    assert launch.column == [4.0]
    never, untaken = marks(KERNELS)["static: never traced"], marks(KERNELS)["static: pass"]
    assert never not in launch.lines(str(KERNELS), "traced")
    assert untaken in launch.lines(str(KERNELS), "traced")
    missed = marks(KERNELS, of="static: ").keys() - executed(launch, KERNELS, "static: ")
    assert missed == {"static: never traced", "static: pass"}
    assert executed(launch, HELPERS, "shared") == {"shared"}


def test_conditions_that_contradict_each_other(ran):
    launch = ran("contradicting", [[1, 1, 0, 0]])
    assert launch.column == [7.0]
    missed = marks(KERNELS, of="contradicting: ").keys() - executed(launch, KERNELS, "contradicting: ")
    assert missed == {"contradicting: impossible", "contradicting: in Z"}


@pytest.mark.parametrize(("name", "row"), [("unrolled", [6, 2, 0, 0]), ("contradicting", [1, 1, 0, 0])])
def test_each_column_holds_the_next(ran, name, row):
    launch = ran(name, [row])
    columns = [launch.lines(str(KERNELS), column) for column in ("executed", "compiled", "traced")]
    assert columns[0] < columns[2]
    assert columns[0] <= columns[1] <= columns[2]


def test_paths_by_unroll_factor(ran):
    launch = ran("unrolled", [[6, 2, 0, 0]])
    flow = control_flow([launch.account], launch.simulated.compiled)
    assert {unroll: len(seen["traced"]) > 0 for unroll, seen in flow["A"].items()} == {"1": True, "2": True, "4": True}
    assert (flow["A"]["4"]["traced"], flow["A"]["4"]["compiled"], flow["A"]["1"]["executed"]) == ("0-15", "0-15", "")
    assert flow["V_LoopUnroll2"]["1"]["executed"] == "0"
    assert flow["V_LoopUnroll1"]["1"]["executed"] == ""
