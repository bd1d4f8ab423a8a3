"""Shrinking keeps the failure and makes the case as small as it gets."""

import pytest

from stimuli.case import Case
from tests.verification.shrinking.emulated import (
    attempted,
    forward_case,
    head_map,
    record_of,
    second_batch,
    tail_block,
)
from verification.record import CRASH, FAIL, INFRA
from verification.shrinking import shrink, signature

LARGE = {
    "batch": 3,
    "heads_q": 8,
    "heads_kv": 4,
    "seq_q": 200,
    "seq_kv": 200,
    "block_shape": [64, 64],
    "density": 0.6,
    "values": "normal:2",
    "padding": "large",
    "lengths_kv": [200, 150, 190],
}


@pytest.mark.parametrize(
    ("fault", "minimal"),
    [
        (tail_block, {"batch": 1, "heads_q": 1, "heads_kv": 1, "seq_q": 1, "seq_kv": 1}),
        (head_map, {"batch": 1, "heads_q": 4, "heads_kv": 2, "seq_q": 1, "seq_kv": 1}),
        (second_batch, {"batch": 2, "heads_q": 1, "heads_kv": 1, "seq_q": 1, "seq_kv": 1}),
    ],
)
def test_planted_failures_become_minimal(fault, minimal):
    """A tail block, a head map, a second batch: what is left is what the fault needs."""
    case, attempt = forward_case(**LARGE), attempted(fault)
    first = attempt(case)
    assert first.verdict == FAIL
    found = shrink(case, first, attempt, attempts=200)
    sizes = {"batch": 1, "heads_q": 1, "heads_kv": 1, "seq_q": 256, "seq_kv": 256, **found.case.params}
    assert {name: sizes[name] for name in minimal} == minimal
    assert set(found.case.params) <= {*minimal, "block_shape", "head_dim"}
    assert found.minimal
    assert signature(found.record) == signature(first) == ("FAIL", "out", signature(first)[2])


def test_deterministic():
    """The same search twice runs the same cases."""
    seen = []
    for _ in range(2):
        cases = []
        attempt = attempted(second_batch)
        case = forward_case(**LARGE)
        shrink(case, attempt(case), attempt, attempts=12, watch=lambda c, same, cases=cases: cases.append((c.id, same)))
        seen.append(cases)
    assert seen[0] == seen[1]
    assert len(seen[0]) == 12


def test_attempts_are_a_limit():
    """No more cases are run than allowed, and the result says that it may not be minimal."""
    ran = []

    def attempt(case):
        ran.append(case)
        return record_of(case, verdict=FAIL, reason="raised KernelError: x")

    case = forward_case(**LARGE)
    found = shrink(case, attempt(case), attempt, attempts=5)
    assert (found.attempts, len(ran), found.minimal) == (5, 6, False)


def test_another_failure_is_not_followed():
    """Candidates that fail in another way, or were ended from outside, are left."""
    answers = {"batch": CRASH, "heads_q": INFRA}

    def attempt(case):
        changed = next((name for name in answers if case.params.get(name) != LARGE[name]), None)
        return record_of(case, verdict=answers.get(changed, FAIL), reason="raised KernelError: x")

    case = forward_case(**LARGE)
    found = shrink(case, attempt(case), attempt, attempts=300)
    assert {name: found.case.params[name] for name in answers} == {name: LARGE[name] for name in answers}
    assert found.case.params["seq_kv"] == 1


def test_every_candidate_is_smaller_and_new():
    """No case is run twice, so that the search ends."""
    ran = set()

    def attempt(case):
        assert case.id not in ran
        ran.add(case.id)
        return record_of(case, verdict=FAIL, reason="x")

    case = Case(dut="bsa.forward", params=LARGE, program={"kind": "repeat", "times": 5})
    found = shrink(case, record_of(case, verdict=FAIL, reason="x"), attempt, attempts=10_000)
    assert found.minimal
    assert found.case.program == {"kind": "once"}


def test_parameters_of_another_dut():
    """Of parameters that nothing is known of, those that the failure does not need go, and numbers become small."""

    def attempt(case):
        failing = case.params.get("rows", 0) >= 7
        return record_of(case, verdict=FAIL if failing else "PASS", reason="raised ValueError: x" if failing else "")

    case = Case(dut="my.kernel", params={"rows": 100, "columns": 64, "style": "wide"})
    assert shrink(case, attempt(case), attempt, attempts=100).case.params == {"rows": 7}
