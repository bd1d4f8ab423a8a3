"""Causes that only several calls, or the inputs, show."""

import pytest
import torch

from verification.dut import OutputSpec, References
from verification.scoreboard import judge
from verification.scoreboard.cause_calls import not_finite, with_causes

SPEC = OutputSpec(name="out", dtype="float16", dims=("b", "h", "row", "d"))
FIRST = torch.linspace(-1, 1, 64 * 16, dtype=torch.float64).reshape(1, 1, 64, 16)
SECOND = FIRST.flip(2) + 0.25


def _cause(found, *, poisoned=False):
    """The cause of a second call whose right answer is ``SECOND``."""
    results = judge({"out": found}, References(gold={"out": SECOND}, same={"out": SECOND.half()}), (SPEC,), dtype="")
    golds = [{"out": FIRST}, {"out": SECOND}]
    (result,) = with_causes(results, {"out": found}, golds, poisoned=poisoned)
    return result.location.cause if result.location else None


@pytest.mark.parametrize("scale", [1.0, 1.001])
def test_answer_of_an_earlier_call_is_named(scale):
    """Also where it is a little off for another reason."""
    assert _cause((FIRST * scale).half()).startswith("call 2 returned the answer of call 1, as tables kept")


def test_right_and_differently_wrong_answers_are_not_stale():
    """Nothing is said of a right one, and nothing about calls of any other wrong one."""
    assert _cause(SECOND.half()) is None
    assert "call" not in _cause((SECOND * 2).half())


def test_spreading_is_named_where_the_inputs_are_poisoned():
    """And only there: otherwise NaN means rows that were not written."""
    found = torch.full_like(SECOND, torch.nan).half()
    assert "spreads" in _cause(found, poisoned=True)
    assert "spreads" not in _cause(found)


@pytest.mark.parametrize(("value", "poison"), [(0.0, False), (-torch.inf, False), (torch.inf, True), (torch.nan, True)])
def test_what_poisons_an_input(value, poison):
    """NaN and Inf; -Inf is a log-sum-exp's own, and integers hold neither."""
    assert not_finite({"x": torch.tensor([1.0, value]), "mask": torch.tensor([True])}) is poison
