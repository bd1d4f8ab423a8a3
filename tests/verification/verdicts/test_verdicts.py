"""Verdicts over attempts and exit codes are pure functions of plan and records."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.case import Case
from tests.support.records import make_record
from verification.plan import Budget, Plan, PlanEntry
from verification.record import VERDICTS
from verification.verdicts import exit_code, final, outstanding

CASES = tuple(Case(dut="toy.double", params={"rows": n}, name=f"case {n}") for n in (1, 2, 3))
PLAN = Plan(
    run_id="run",
    created="",
    command=(),
    run_mode="sim",
    backend="fake",
    pass_filter="none",
    budget=Budget(),
    entries=tuple(PlanEntry(case=case, suites=("toy",)) for case in CASES),
)


def verdict_of(*verdicts):
    records = [make_record(CASES[0].id, attempt=n, verdict=v) for n, v in enumerate(verdicts, start=1)]
    return final(PLAN, records)[CASES[0].id].verdict


@pytest.mark.parametrize(
    ("attempts", "verdict"),
    [
        ((), "NOT_RUN"),
        (("PASS",), "PASS"),
        (("PASS", "PASS"), "PASS"),
        (("FAIL", "PASS"), "FLAKY"),
        (("PASS", "CRASH"), "FLAKY"),
        (("FAIL", "FAIL"), "FAIL"),
        (("INFRA", "PASS"), "PASS"),
        (("INFRA", "FAIL"), "FAIL"),
        (("INFRA", "INFRA", "INFRA"), "INFRA"),
        (("NOT_RUN",), "NOT_RUN"),
        (("KNOWN",), "KNOWN"),
    ],
)
def test_attempts_do_not_launder(attempts, verdict):
    """Every attempt that ended by itself must pass; those ended from outside do not count if there are others."""
    assert verdict_of(*attempts) == verdict


@given(st.lists(st.tuples(st.sampled_from(CASES), st.sampled_from(VERDICTS)), max_size=8), st.randoms())
def test_order_of_records_does_not_matter(drawn, shuffler: random.Random):
    """The verdicts depend on the set of records alone."""
    records = [make_record(case.id, attempt=n, verdict=v) for n, (case, v) in enumerate(drawn, start=1)]
    shuffled = list(records)
    shuffler.shuffle(shuffled)
    assert final(PLAN, records) == final(PLAN, shuffled)
    assert outstanding(PLAN, records) == outstanding(PLAN, shuffled)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        (("PASS", "PASS", "PASS"), 0),
        (("PASS", "KNOWN", "PASS"), 0),
        (("PASS", "FAIL", "NOT_RUN"), 1),
        (("PASS", "FLAKY", "PASS"), 1),
        (("PASS", "TIMEOUT", "INFRA"), 1),
        (("PASS", "MEMORY", "PASS"), 1),
        (("PASS", "CRASH", "PASS"), 1),
        (("PASS", "PASS", "INFRA"), 3),
        (("PASS", "PASS", "NO_REFERENCE"), 3),
        (("PASS", "PASS", None), 3),
    ],
)
def test_exit_code(verdicts, code):
    """A failure outranks an incomplete run; a missing record is incomplete."""
    records = [make_record(case.id, verdict=v) for case, v in zip(CASES, verdicts, strict=True) if v]
    assert exit_code(final(PLAN, records)) == code


def test_outstanding_retries_only_what_was_ended_from_outside():
    """INFRA is tried again at most twice, everything else never."""
    first, second, third = (case.id for case in CASES)
    records = [
        make_record(first, attempt=1, verdict="INFRA"),
        make_record(second, verdict="FAIL"),
        *(make_record(third, attempt=n, verdict="INFRA") for n in (1, 2, 3)),
    ]
    assert outstanding(PLAN, records) == {first: range(2, 4)}
    assert outstanding(PLAN, ()) == dict.fromkeys((first, second, third), range(1, 4))


def test_every_verdict_decides_an_exit_code():
    """No verdict is forgotten by the exit code."""
    for verdict in VERDICTS:
        records = [make_record(case.id, verdict=verdict) for case in CASES]
        assert (exit_code(final(PLAN, records)) == 0) == (verdict in ("PASS", "KNOWN"))
