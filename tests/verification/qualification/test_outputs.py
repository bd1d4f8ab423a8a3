"""Outputs of two versions of PyPTO: equal, within so many units in the last place, or not to be compared."""

import pytest
import torch

from tests.support.records import make_record
from verification.cli import qualify_command as qualify
from verification.limits.outputs import Compared, compare_digests, distances, ulps
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


def test_worst_call_of_an_output_counts():
    """By case and output; a call that only one of both returned is infinitely far."""
    one, two = torch.tensor([1.0]), torch.tensor([1.0 + 3 * 2.0**-23])
    ours = {"a": [{"x": one}, {"x": one}], "b": [{"y": one}]}
    assert distances(ours, {"a": [{"x": one}, {"x": two}], "b": [{"y": one}]}) == {("a", "x"): 3.0, ("b", "y"): 0.0}
    assert distances(ours, {"b": []}) == {("b", "y"): float("inf")}
    assert distances(ours, {}) == {}


class _Entry:
    def __init__(self, case):
        self.case_id, self.case = case, type("_Case", (), {"dut": "dut", "label": f"case {case}"})


class _Run:
    def __init__(self, *records):
        self.records = list(records)
        self.plan = type("_Plan", (), {"entries": [_Entry(one.case_id) for one in records]})


def _passed(*passes):
    return _Run(*(make_record(str(n), measurement=Measurement(passes=one)) for n, one in enumerate(passes)))


def test_differing_passes_are_named(capsys):
    """With the number of cases; a run without passes has interpreted none."""
    found = qualify._passes(_passed({"A": "", "B": "first"}, {"A": "", "B": ""}, {"A": "", "B": "first"}))
    assert found == {"B": 2}
    said = capsys.readouterr().out.strip()
    assert "3 cases interpreted after 2 passes" in said
    assert said.endswith("B (2)")
    assert not qualify._passes(_passed({}))
    assert "0 cases interpreted after 0 passes" in capsys.readouterr().out


def test_equal_outputs_need_no_second_run(monkeypatch, capsys):
    """Others are run with both, and those more than an ulp apart are named and count."""
    asked, answers = [], []

    def outputs(env, cases, _file):
        asked.append((env, cases))
        return answers[len(asked) % 2]

    monkeypatch.setattr(qualify, "outputs_with", outputs)
    ours = _Run(_record("a", out="1", lse="5"), _record("b", out="3"))
    assert not qualify._outputs(ours, ours, {"X": "1"})
    assert not asked
    assert "3 of 3 equal" in capsys.readouterr().out
    theirs = _Run(_record("a", out="1", lse="6"), _record("b", out="4"))
    one, near, far = (torch.tensor([1.0 + n * 2.0**-23]) for n in (0, 1, 3))
    answers[:] = [{"a": [{"lse": near}], "b": [{"out": far}]}, {"a": [{"lse": one}], "b": [{"out": one}]}]
    assert qualify._outputs(ours, theirs, {"X": "1"})
    assert [cases for _, cases in asked] == [("a", "b"), ("a", "b")]
    assert asked[1][0] == {"X": "1"}
    said = capsys.readouterr().out
    assert "1 of 3 equal bit for bit, 1 within an ulp, 1 further apart" in said
    assert "dut case b, out: 3 ulp" in said


def test_simulated_time_is_of_common_cases():
    """A case that one of both did not simulate is left out of both sums."""
    runs = [
        _Run(*(make_record(case, measurement=Measurement(model_us=us)) for case, us in one.items()))
        for one in ({"a": 1.5, "b": 2.0, "c": None}, {"a": 3.0, "c": 1.0})
    ]
    assert "1 cases that both ran: 1.5 µs installed, 3.0 µs candidate" in qualify._model_us(*runs)
