"""Writes to one region between which PyPTO's tasks have no order are found; those that have one are not."""

import pytest
import torch

from bsa._pypto import Tasks
from bsa.messages import catalogue
from tests.verification.sanitizer import overlapping_kernels
from tests.verification.sanitizer.faulty_kernels import line_of
from verification.sanitizer import Finding

KINDS = {"read_between": set(), "iterations": {"written-twice"}, "one_call": {"written-twice"}}
"""What else is found of a kernel."""
FOUND = {
    "read_between": (("v", 0), "[32:64, 0:64]", "between: first", "between: then", "u=1", 1),
    "iterations": (("u", 1), "[16:32, 0:64]", "iterations", "iterations", "u=0", 2),
    "one_call": (("u", 0), "[8:24, 0:64]", "one call: first", "one call: then", "u=0", 2),
}


def line(comment):
    return line_of(comment, overlapping_kernels.__file__)


@pytest.mark.parametrize("name", FOUND)
def test_writes_without_an_order_are_found_where_pypto_is_silent(forked, tmp_path, name):
    findings, out = forked(overlapping_kernels.run, name, tmp_path)
    index, region, first, then, indices, count = FOUND[name]
    found = [Finding.from_json(one) for one in findings if one["kind"] == "unordered"]
    assert [(one.line, one.indices, one.tensor, one.region) for one in found] == [(line(then), (index,), "out", region)]
    assert found[0].facts == {"before": f"overlapping_kernels.py:{line(first)}", "then": indices}
    assert found[0].count == count
    assert {one["kind"] for one in findings} - {"unordered"} == KINDS[name]
    assert bool(torch.isfinite(out[:32]).all())


def test_writes_that_wait_for_each_other_are_not(forked, tmp_path):
    findings, out = forked(overlapping_kernels.run, "ordered", tmp_path)
    assert findings == []
    assert torch.allclose(out[:32], torch.tensor(2.0).exp() + 3.0)


def test_words_name_both_statements():
    one = Finding(
        kind="unordered",
        file="pack/kernel.py",
        line=9,
        indices=(("v", 0),),
        tensor="out",
        region="[0:32]",
        facts={"before": "kernel.py:5", "then": "u=1"},
    )
    assert "kernel.py:9 [v=0]: out[0:32] was written by kernel.py:5 (u=1) before" in one.words(catalogue("en").text)


CHAIN = Tasks(after={(0, 1): (2,), (0, 2): (3,)}, writes={(0, number): frozenset({"out"}) for number in range(5)})


@pytest.mark.parametrize(
    ("some", "others", "ordered"),
    [
        ([(0, 1)], [(0, 3)], True),
        ([(0, 3)], [(0, 1)], True),
        ([(0, 1)], [(0, 4)], False),
        ([(0, 1), (0, 4)], [(0, 3)], True),
        ([(0, 1)], [(1, 4)], True),
        ([(0, 4)], [(0, 4)], True),
        ([(0, 0), (0, 4)], [(0, 0), (0, 4)], False),
        ([(0, 1), (0, 2)], [(0, 1), (0, 2)], True),
    ],
)
def test_order_of_tasks(some, others, ordered):
    """A path in either direction, windows one after the other, one task alone."""
    assert CHAIN.ordered(some, others) is ordered
