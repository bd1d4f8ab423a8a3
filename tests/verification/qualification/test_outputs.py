"""Outputs of two versions of PyPTO: equal, within so many units in the last place, or not to be compared."""

import pytest
import torch

from tests.support.records import make_record
from verification.cli import qualify_command as qualify
from verification.limits.outputs import Compared, compare_digests, most_ulps, ulps
from verification.record import Measurement, OutputResult


def _record(case, **digests):
    outputs = [
        OutputResult(name=name, shape=(1,), dtype="float16", passed=True, max_error=0.0, checks=(), digest=digest)
        for name, digest in digests.items()
    ]
    return make_record(case, outputs=tuple(outputs))


def test_digests_say_what_is_equal():
    """Of the outputs that both runs have."""
    ours = [_record("a", out="1", lse="2"), _record("b", out="3"), _record("only", out="4")]
    theirs = [_record("a", out="1", lse="9"), _record("b", out="3"), _record("other", out="4")]
    assert compare_digests(ours, theirs) == Compared(equal=2, other=(("a", "lse"),))
    assert compare_digests(ours, theirs).cases == ("a",)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_neighbours_are_one_ulp_apart(dtype):
    """Whatever the dtype and the size of the number; equal tensors are none."""
    ones = torch.tensor([1.0, 256.0, -3.0, 0.0], dtype=dtype)
    other = ones.clone()
    assert ulps(ones, other) == 0.0
    other[1] = torch.tensor(256.0 * (1 + torch.finfo(dtype).eps), dtype=dtype)
    assert ulps(ones, other) == 1.0


def test_kinds_must_agree():
    """NaN beside NaN is equal; NaN beside a number, another dtype or another shape is infinitely far."""
    holes = torch.tensor([torch.nan, -torch.inf, 1.0])
    assert ulps(holes, holes.clone()) == 0.0
    assert ulps(holes, torch.tensor([torch.nan, torch.inf, 1.0])) == float("inf")
    assert ulps(holes, torch.tensor([0.0, -torch.inf, 1.0])) == float("inf")
    assert ulps(holes, holes.half()) == ulps(holes, holes[:2]) == float("inf")


def test_worst_output_of_all_calls_counts():
    """Over cases, calls and outputs."""
    one, two = torch.tensor([1.0]), torch.tensor([1.0 + 3 * 2.0**-23])
    ours = {"a": [{"x": one}, {"x": one}], "b": [{"y": one}]}
    assert most_ulps(ours, {"a": [{"x": one}, {"x": two}], "b": [{"y": one}]}) == 3.0
    assert most_ulps(ours, {}) == 0.0


class _Run:
    def __init__(self, *passes):
        self.records = [make_record(str(n), measurement=Measurement(passes=one)) for n, one in enumerate(passes)]


def test_differing_passes_are_named():
    """With the number of cases; a run without passes has interpreted none."""
    said = qualify._passes(_Run({"A": "", "B": "first"}, {"A": "", "B": ""}, {"A": "", "B": "first"}))
    assert "3 cases interpreted after 2 passes" in said
    assert said.endswith("B (2)")
    assert "0 cases interpreted after 0 passes" in qualify._passes(_Run({}))


def test_equal_outputs_need_no_second_run(monkeypatch):
    """And those that are not are run with both."""
    asked = []
    monkeypatch.setattr(qualify, "outputs_with", lambda env, cases, file: asked.append((env, cases)) or {})
    ours, theirs = _Run({}), _Run({})
    ours.records, theirs.records = [_record("a", out="1")], [_record("a", out="1")]
    assert "1 of 1 equal" in qualify._outputs(ours, theirs, {"X": "1"})
    assert not asked
    theirs.records = [_record("a", out="2")]
    assert "0 of 1 equal" in qualify._outputs(ours, theirs, {"X": "1"})
    assert [cases for _, cases in asked] == [("a",), ("a",)]
    assert asked[1][0] == {"X": "1"}
