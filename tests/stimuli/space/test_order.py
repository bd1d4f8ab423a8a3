"""Cases are ordered by what they promise, and each gives the kernel something to do."""

from __future__ import annotations

import pytest

from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE, Space
from stimuli.space.cases import promise
from stimuli.space.frozen import assignments
from verification.dut import find_duts

SPACES = pytest.mark.parametrize("space", [FORWARD_SPACE, BACKWARD_SPACE], ids=lambda space: space.name)


def test_risky_and_cheap_goes_first() -> None:
    """More risk for the same work, or less work for the same risk, promises more."""
    plain = FORWARD_SPACE.defaults()
    assert promise(FORWARD_SPACE, {**plain, "padding": "nan"}) > promise(FORWARD_SPACE, {**plain, "padding": "large"})
    small = {**plain, "block": "16x16", "seq_q": "one", "seq_kv": "one"}
    large = {**plain, "block": "16x16", "seq_q": "one", "seq_kv": "one", "threshold_q": "1024"}
    assert promise(FORWARD_SPACE, small) > promise(FORWARD_SPACE, large) > 0


@SPACES
def test_suite_is_in_that_order(space: Space) -> None:
    """The suite of a DUT runs by falling promise."""
    dut = find_duts()[f"bsa.{space.name}"]
    (pairwise,) = (one for one in dut.suites() if one.name == "pairwise")
    rows = assignments(space, 2)
    promises = [promise(space, rows[int(case.name.split("/")[1])]) for case in pairwise.cases]
    assert len(promises) == len(rows)
    assert promises == sorted(promises, reverse=True)


@SPACES
def test_every_pairwise_case_has_work_for_the_kernel(space: Space) -> None:
    """A case in which nothing is selected would cover its pairs in name only."""
    dut = find_duts()[f"bsa.{space.name}"]
    (pairwise,) = (one for one in dut.suites() if one.name == "pairwise")
    idle = [case.name for case in pairwise.cases if not dut.expects_tasks(next(iter(dut.stimuli(case))))]
    assert idle == []
