"""The summary: can I merge, and what stands behind the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.row import Row
from verification.record import KNOWN, PASS
from verification.verdicts import FAILED, INCOMPLETE, counts

YES = "yes"
"""Every case passed."""
YES_KNOWN = "yes_known"
"""Every case passed or failed exactly as the ledger of waivers says."""
NO_FAILED = "no_failed"
"""At least one case failed."""
NO_INCOMPLETE = "no_incomplete"
"""Nothing failed, but a case has no verdict."""
NO_SYNTHETIC = "no_synthetic"
"""Nothing failed, but records are declared, not observed."""
NO_EMPTY = "no_empty"
"""The plan holds no case."""
ANSWERS = (YES, YES_KNOWN, NO_FAILED, NO_INCOMPLETE, NO_SYNTHETIC, NO_EMPTY)


@dataclass(frozen=True, kw_only=True)
class Share:
    """How many cases of a group passed, and how many of them are multi-block."""

    name: str
    passed: int
    total: int
    multi_block: int
    """Cases known to have several KV blocks."""
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The first thing a reader sees."""

    answer: str
    """One of ``ANSWERS``."""
    counts: Mapping[str, int]
    """Cases by verdict, in the order of severity that records define; zeros left out."""
    total: Share
    suites: tuple[Share, ...]
    synthetic: int
    failed: int
    incomplete: int
    known: int

    @property
    def numbers(self) -> Mapping[str, int]:
        """The numbers that the answer's sentence may use."""
        return {
            "total": self.total.total,
            "failed": self.failed,
            "incomplete": self.incomplete,
            "known": self.known,
            "synthetic": self.synthetic,
        }

    @property
    def may_merge(self) -> bool:
        """Whether the answer is a yes."""
        return self.answer in (YES, YES_KNOWN)


def summarise(rows: Sequence[Row]) -> Summary:
    """The summary of all rows of a report."""
    synthetic = sum(row.synthetic for row in rows)
    failed = sum(row.verdict in FAILED for row in rows)
    incomplete = sum(row.verdict in INCOMPLETE for row in rows)
    known = sum(row.verdict == KNOWN for row in rows)
    return Summary(
        answer=_answer(len(rows), failed=failed, incomplete=incomplete, synthetic=synthetic, known=known),
        counts=counts(row.final for row in rows),
        total=_share("", rows),
        suites=_suites(rows),
        synthetic=synthetic,
        failed=failed,
        incomplete=incomplete,
        known=known,
    )


def _answer(total: int, *, failed: int, incomplete: int, synthetic: int, known: int) -> str:
    ordered = (
        (total == 0, NO_EMPTY),
        (failed > 0, NO_FAILED),
        (incomplete > 0, NO_INCOMPLETE),
        (synthetic > 0, NO_SYNTHETIC),
        (known > 0, YES_KNOWN),
    )
    return next((answer for holds, answer in ordered if holds), YES)


def _suites(rows: Sequence[Row]) -> tuple[Share, ...]:
    names = dict.fromkeys(suite for row in rows for suite in row.entry.suites)
    return tuple(_share(name, [row for row in rows if name in row.entry.suites]) for name in names)


def _share(name: str, rows: Sequence[Row]) -> Share:
    return Share(
        name=name,
        passed=sum(row.verdict == PASS for row in rows),
        total=len(rows),
        multi_block=sum(row.multi_block is True for row in rows),
        rows=tuple(rows),
    )
