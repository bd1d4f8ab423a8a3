"""Verdicts over attempts, and the exit code of a run: pure functions of (records, plan)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verification.plan import Plan
from verification.record import (
    CRASH,
    FAIL,
    FLAKY,
    INFRA,
    KNOWN,
    MEMORY,
    NO_REFERENCE,
    NOT_RUN,
    PASS,
    TIMEOUT,
    VERDICTS,
    Record,
)

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INCOMPLETE = 3
EXIT_ENVIRONMENT = 4

FAILED = (FAIL, FLAKY, CRASH, TIMEOUT, MEMORY)
"""Verdicts that make a run fail."""
INCOMPLETE = (NOT_RUN, INFRA, NO_REFERENCE)
"""Verdicts that leave a run incomplete."""
INFRA_RETRIES = 2
"""How often an attempt that was ended from outside is tried again."""


@dataclass(frozen=True, kw_only=True)
class Final:
    """The verdict on one case over all its attempts."""

    case_id: str
    verdict: str
    reason: str
    record: Record | None
    """The attempt that decided; None if the case has no record."""
    attempts: int


def final(plan: Plan, records: Iterable[Record]) -> dict[str, Final]:
    """The verdict on every case of the plan, in the plan's order.

    A case passes only if every attempt that ended by itself passed; attempts that disagree are FLAKY; an attempt
    ended from outside counts only if there is no other (design, section 4, rule 3).

    Args:
        plan: what should have run.
        records: attempts in any order; those of cases outside the plan are ignored.
    """
    by_case: dict[str, list[Record]] = {entry.case_id: [] for entry in plan.entries}
    for record in records:
        if record.case_id in by_case:
            by_case[record.case_id].append(record)
    return {case_id: _final(case_id, sorted(found, key=lambda r: r.attempt)) for case_id, found in by_case.items()}


def _final(case_id: str, attempts: Sequence[Record]) -> Final:
    if not attempts:
        return Final(case_id=case_id, verdict=NOT_RUN, reason="no record: not started", record=None, attempts=0)
    judged = [record for record in attempts if record.verdict not in (INFRA, NOT_RUN)]
    decisive = judged or list(attempts)
    kinds = {record.verdict for record in decisive}
    worst = max(decisive, key=lambda record: (_severity(record.verdict), -record.attempt))
    if judged and len(kinds) > 1:
        seen = ", ".join(f"attempt {record.attempt} {record.verdict}" for record in judged)
        return Final(case_id=case_id, verdict=FLAKY, reason=seen, record=worst, attempts=len(attempts))
    return Final(case_id=case_id, verdict=worst.verdict, reason=worst.reason, record=worst, attempts=len(attempts))


def _severity(verdict: str) -> int:
    order = (PASS, KNOWN, NOT_RUN, INFRA, NO_REFERENCE, TIMEOUT, MEMORY, CRASH, FLAKY, FAIL)
    return order.index(verdict)


def outstanding(plan: Plan, records: Iterable[Record], *, earlier: Iterable[Record] = ()) -> dict[str, range]:
    """Cases that still want an attempt, each with the numbers of those it may have, in the plan's order.

    A case wants one if it has no record, or only attempts ended from outside and fewer than ``INFRA_RETRIES + 1`` of
    them since the run was started or resumed.

    Args:
        plan: what should run.
        records: every attempt so far, the earlier ones included.
        earlier: attempts from before the run was resumed: they do not count against the retries.
    """
    attempts: dict[str, list[Record]] = {entry.case_id: [] for entry in plan.entries}
    for record in records:
        if record.case_id in attempts:
            attempts[record.case_id].append(record)
    before = Counter(record.case_id for record in earlier)
    wanted: dict[str, range] = {}
    for case_id, done in attempts.items():
        left = INFRA_RETRIES + 1 + before[case_id] - len(done)
        if left > 0 and all(record.verdict == INFRA for record in done):
            first = max((record.attempt for record in done), default=0) + 1
            wanted[case_id] = range(first, first + left)
    return wanted


def counts(finals: Iterable[Final]) -> dict[str, int]:
    """Number of cases by verdict, in the order of ``VERDICTS``, zeros left out."""
    total = dict.fromkeys(VERDICTS, 0)
    for one in finals:
        total[one.verdict] += 1
    return {verdict: number for verdict, number in total.items() if number}


def exit_code(finals: Mapping[str, Final]) -> int:
    """Exit code of a run from its verdicts (design, section 4, rule 10): 1 before 3 before 0."""
    verdicts = {one.verdict for one in finals.values()}
    if verdicts & set(FAILED):
        return EXIT_FAILED
    if verdicts & set(INCOMPLETE):
        return EXIT_INCOMPLETE
    return EXIT_PASSED


def interrupted_code(code: int) -> int:
    """Exit code of a run that is interrupted while it would have ended with this one: 3, or 1 after a failure."""
    return EXIT_FAILED if code == EXIT_FAILED else EXIT_INCOMPLETE
