"""Can I merge? The answer follows from the verdicts, the worst one first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports import view
from tests.reports import samples


@pytest.mark.parametrize(
    ("name", "answer", "may_merge"),
    [
        ("passing", "yes", True),
        ("failing", "no_failed", False),
        ("synthetic", "no_synthetic", False),
        ("empty", "no_empty", False),
        ("unstarted", "no_incomplete", False),
    ],
)
def test_answer(name: str, answer: str, may_merge: bool) -> None:
    """Only a complete run of observed passes is a yes."""
    summary = view(getattr(samples, f"{name}_run")()).summary
    assert (summary.answer, summary.may_merge) == (answer, may_merge)


@pytest.mark.parametrize("verdict", ["FAIL", "CRASH", "TIMEOUT", "MEMORY"])
def test_one_failure_is_a_no(verdict: str) -> None:
    """Whatever way a case failed, and however many passed."""
    entries = samples.published_entries()
    records = [samples.record(entries[0], verdict, "why"), *map(samples.record, entries[1:])]
    assert view(samples.run(entries, records)).summary.answer == "no_failed"


@pytest.mark.parametrize("verdict", ["INFRA", "NO_REFERENCE", "NOT_RUN"])
def test_no_verdict_is_not_yet(verdict: str) -> None:
    """A case that nobody judged does not pass by default."""
    entries = samples.published_entries()
    records = [samples.record(entries[0], verdict, "why"), *map(samples.record, entries[1:])]
    assert view(samples.run(entries, records)).summary.answer == "no_incomplete"


def test_known_failures_are_said() -> None:
    """A yes with known failures is another yes."""
    entries = samples.published_entries()
    records = [samples.record(entries[0], "KNOWN", "W-1"), *map(samples.record, entries[1:])]
    summary = view(samples.run(entries, records)).summary
    assert (summary.answer, summary.known, summary.may_merge) == ("yes_known", 1, True)


def test_disagreeing_attempts_do_not_pass() -> None:
    """A second attempt that passes does not wash the first."""
    (one,) = samples.published_entries()[:1]
    records = [samples.record(one, "FAIL", "why"), samples.record(one, attempt=2)]
    summary = view(samples.run((one,), records)).summary
    assert (summary.answer, dict(summary.counts)) == ("no_failed", {"FLAKY": 1})


def test_share_of_multi_block_cases() -> None:
    """10/10, 3 multi-block: counted per suite and over all."""
    summary = view(samples.passing_run()).summary
    assert [(s.name, s.passed, s.total, s.multi_block) for s in (summary.total, *summary.suites)] == [
        ("", 10, 10, 3),
        ("published", 10, 10, 3),
        ("smoke", 3, 3, 1),
    ]


def test_unknown_block_count_is_not_multi_block() -> None:
    """A fact that is missing, or not a truth value, is not counted."""
    entries = samples.published_entries()[:2]
    records = [samples.record(entries[0], facts={}), samples.record(entries[1], facts={"multi_block": "yes"})]
    assert view(samples.run(entries, records)).summary.total.multi_block == 0


def test_records_outside_the_plan_count_for_nothing() -> None:
    """They are reported as a number, and change no verdict."""
    run = samples.passing_run()
    stray = replace(run.records[0], case_id="feedfeedfeed", verdict="FAIL", reason="why")
    shown = view(replace(run, records=(*run.records, stray)))
    assert (shown.unplanned, shown.summary.answer, len(shown.rows)) == (1, "yes", 10)
