"""What ``holes --close`` plans closes what is open: seen in the cases themselves, and only in those that will count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stimuli.random import Stream
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE
from stimuli.space.topup import top_up
from verification.coverage import measure
from verification.coverage.closing import closing
from verification.coverage.measure import COVERED, OPEN
from verification.dut import find_duts

SPACES = pytest.mark.parametrize("space", [FORWARD_SPACE, BACKWARD_SPACE], ids=lambda space: space.name)


def _name(space) -> str:
    return f"bsa.{space.name}"


def _open(space, *, share: float, seed: int):
    """Coverage in which so large a part of the pairs is open, the others covered."""
    found = measure(space, _name(space), "sim", [])
    stream = Stream(f"open/{seed}".encode())
    opened = [pair for pair, state in found.pairs.items() if state == OPEN]
    kept = {pair for pair, draw in zip(opened, stream.uniform(len(opened)), strict=True) if draw < share}
    return replace(
        found,
        pairs={pair: COVERED if state == OPEN and pair not in kept else state for pair, state in found.pairs.items()},
    )


@SPACES
@pytest.mark.parametrize("share", [1.0, 0.7, 0.1, 0.002])
def test_every_open_pair_has_a_case_in_which_the_kernel_runs(space, share) -> None:
    """By what each case is observed to be, not by what it was made for."""
    dut = find_duts()[_name(space)]
    found = _open(space, share=share, seed=1)
    closed = closing(found, space, dut, prefix="holes")
    assert closed.left == ()
    assert len({case.id for case in closed.cases}) == len(closed.cases)
    left = {pair for pair, state in found.pairs.items() if state == OPEN}
    assert left
    for case in closed.cases:
        assert dut.selects(case)
        seen = space.observe({**space.parameters, **case.params})
        left -= {pair for pair in left if all(seen[axis] == name for axis, name in pair)}
    assert left == set()


def test_a_case_that_gives_the_kernel_nothing_to_do_closes_nothing() -> None:
    """Some completions are such; another one is found in their place, or the pair is said to stay open."""
    dut = find_duts()["bsa.backward"]
    for seed in range(20):
        found = _open(BACKWARD_SPACE, share=0.8, seed=seed)
        opened = [pair for pair, state in found.pairs.items() if state == OPEN]
        made = [BACKWARD_SPACE.case(dut.name, row) for row in top_up(BACKWARD_SPACE, "sim", opened)]
        if not all(map(dut.selects, made)):
            break
    else:
        pytest.fail("no completion of twenty was idle: the search for another one is not tried")
    closed = closing(found, BACKWARD_SPACE, dut, prefix="holes")
    assert closed.left == ()
    assert all(map(dut.selects, closed.cases))


def test_what_no_case_closes_is_said_to_stay_open() -> None:
    """However often it is tried."""

    class Idle:
        def selects(self, case) -> bool:
            return case.params.get("mask") == "dense"

    found = _open(FORWARD_SPACE, share=0.002, seed=3)
    opened = {pair for pair, state in found.pairs.items() if state == OPEN}
    closed = closing(found, FORWARD_SPACE, Idle(), prefix="holes")
    assert closed.left
    assert set(closed.left) <= opened
    seen = [FORWARD_SPACE.observe({**FORWARD_SPACE.parameters, **case.params}) for case in closed.cases]
    for pair in closed.left:
        assert not any(all(one[axis] == name for axis, name in pair) for one in seen)


@SPACES
@pytest.mark.parametrize(
    ("bins", "selects"),
    [
        ({}, True),
        ({"layout": "TND"}, True),
        ({"mask": "empty_rows", "seq_q": "several"}, True),
        ({"mask": "empty_rows", "seq_q": "one"}, False),
        ({"mask": "single", "seq_kv": "several", "lengths_kv": "one"}, False),
        ({"lengths_kv": "zero"}, False),
        ({"lengths_q": "zero"}, False),
    ],
)
def test_what_a_case_selects_is_told_without_its_tensors(space, bins, selects) -> None:
    """As it is from the tensors."""
    dut = find_duts()[_name(space)]
    case = space.case(dut.name, {**space.defaults(), "block": "16x16", **bins})
    assert dut.selects(case) == dut.expects_tasks(next(iter(dut.stimuli(case)))) == selects
