"""Writes to one region between which PyPTO's tasks have no order are found; those that have one are not."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bsa._pypto import Tasks
from bsa.messages import catalogue
from tests.verification.sanitizer import overlapping_kernels
from tests.verification.sanitizer.faulty_kernels import line_of
from verification.sanitizer import Finding
from verification.sanitizer.boxes import overlap
from verification.sanitizer.order import direct
from verification.sanitizer.writes import Write
from verification.shadow.tree import Place

KINDS = {
    "read_between": set(),
    "iterations": {"written-twice"},
    "one_call": {"written-twice"},
    "after_many": {"written-twice"},
}
"""What else is found of a kernel."""
FOUND = {
    "read_between": (("v", 0), "[32:64, 0:64]", "between: first", "between: then", "u=1", 1),
    "iterations": (("u", 1), "[16:32, 0:64]", "iterations", "iterations", "u=0", 2),
    "one_call": (("u", 0), "[8:24, 0:64]", "one call: first", "one call: then", "u=0", 2),
    "after_many": (("v", 1), "[48:64, 0:64]", "after many", "after many", "v=0", 1),
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


SIDE = st.tuples(st.integers(0, 5), st.integers(1, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def writes_to(regions):
    """One write a region, numbered by its call."""
    return [Write(Place("k.py", at, at), one, (), (), 0, at) for at, one in enumerate(regions)]


REGIONS = st.lists(st.tuples(SIDE, SIDE), max_size=9)


@given(REGIONS)
def test_where_the_direct_pairs_have_an_order_every_pair_has_one(regions):
    """From each write to every later one that overlaps it there is a chain of direct pairs."""
    writes = writes_to(regions)
    pairs = [(i, j) for j in range(len(writes)) for i in range(j) if overlap(regions[i], regions[j])]
    found = [(one.call, other.call) for one, other in direct(pairs, writes)]
    assert set(found) <= set(pairs)
    assert len(set(found)) == len(found)
    after = {i: {j for one, j in found if one == i} for i in range(len(writes))}
    for at in reversed(range(len(writes))):
        after[at] = after[at].union(*(after[one] for one in after[at]))
    assert all(j in after[i] for i, j in pairs)


def test_writes_to_one_region_have_one_direct_pair_each():
    regions = [((0, 4), (0, 4))] * 50
    writes = writes_to(regions)
    pairs = [(i, j) for j in range(50) for i in range(j)]
    assert [(one.call, other.call) for one, other in direct(pairs, writes)] == [(at, at + 1) for at in range(49)]
