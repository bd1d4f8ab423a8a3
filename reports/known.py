"""Known failures of a run: every entry of the ledger it was planned with, and the cases that failed as it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.row import Row
from verification.known.entry import KnownFailure
from verification.known.judging import entry_of
from verification.record import KNOWN

HOLDS = "holds"
"""Cases failed exactly so."""
IDLE = "idle"
"""No case of this run did."""
EXPIRED = "expired"
"""Its last day was before the run ended: it excuses nothing any more."""
UNNAMED = "unnamed"
"""Cases are known failures, and the plan holds no entry that says why."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One entry of the ledger and what it lets be."""

    entry: KnownFailure | None
    """None: records say KNOWN, and the plan holds no such entry."""
    state: str
    rows: tuple[Row, ...]

    @property
    def reason(self) -> str:
        """Why the failure is let be."""
        return self.entry.reason if self.entry else self.rows[0].final.reason


def known_failures(entries: Sequence[KnownFailure], rows: Sequence[Row], finished: str) -> tuple[Answered, ...]:
    """Every entry in the order of the ledger, then what no entry explains.

    Args:
        entries: the ledger that the run was planned with.
        rows: all rows of the report.
        finished: when the run ended, ISO 8601.
    """
    excused: dict[KnownFailure | None, list[Row]] = {one: [] for one in entries}
    for row in rows:
        if row.verdict == KNOWN:
            found = next((entry_of(one, entries) for one in reversed(row.attempts) if one.verdict == KNOWN), None)
            excused.setdefault(found, []).append(row)
    return tuple(
        Answered(entry=entry, state=_state(entry, listed, finished), rows=tuple(listed))
        for entry, listed in excused.items()
    )


def _state(entry: KnownFailure | None, rows: Sequence[Row], finished: str) -> str:
    if entry is None:
        return UNNAMED
    if rows:
        return HOLDS
    return EXPIRED if entry.expires < finished[:10] else IDLE
