"""Failure buckets: cases that failed in the same way, so that ten failures with one cause read as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reports.row import Row
from verification.record import FLAKY, Check
from verification.verdicts import FAILED, INCOMPLETE

LAST_LINES = 4
"""Lines of stderr that a bucket shows."""


@dataclass(frozen=True, order=True)
class Signature:
    """What failures of one bucket share."""

    dut: str
    verdict: str
    where: str
    """The failing outputs and rules (``out: row, maximum``); empty if nothing was compared."""
    cause: str
    """The pattern of errors, or the reason with its numbers masked."""


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """Cases with the same signature, in the plan's order."""

    signature: Signature
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """What happened, in the first case's own numbers."""
        first = self.rows[0]
        if self.signature.cause and mask(_last_word(first)) == self.signature.cause:
            return _last_word(first)
        return self.signature.cause or self.signature.where

    @property
    def last_words(self) -> str:
        """The last lines of the first case's stderr."""
        record = self.rows[0].record
        return "\n".join(record.stderr_tail.strip().splitlines()[-LAST_LINES:]) if record else ""


def buckets(rows: Iterable[Row]) -> tuple[Bucket, ...]:
    """Failed and incomplete cases by signature: failures first, then the largest bucket first."""
    grouped: dict[Signature, list[Row]] = {}
    for row in rows:
        if row.verdict in FAILED + INCOMPLETE:
            grouped.setdefault(signature(row), []).append(row)
    found = [Bucket(signature=key, rows=tuple(value)) for key, value in grouped.items()]
    return tuple(sorted(found, key=lambda b: (b.signature.verdict in INCOMPLETE, -len(b.rows), b.signature)))


def signature(row: Row) -> Signature:
    """The signature of one failure: DUT, verdict, failing outputs and rules, cause."""
    failed = row.failed_checks
    where = _where(failed) if failed else ""
    cause = row.cause if failed else ""
    if not cause and (not failed or row.verdict == FLAKY):
        cause = mask(_last_word(row))
    return Signature(row.dut, row.verdict, where, cause)


def _where(failed: tuple[tuple[str, Check], ...]) -> str:
    by_output: dict[str, list[str]] = {}
    for output, check in failed:
        by_output.setdefault(output, []).append(check.rule)
    return "; ".join(
        f"{output}: {', '.join(dict.fromkeys(rules))}" if output else ", ".join(dict.fromkeys(rules))
        for output, rules in by_output.items()
    )


def _last_word(row: Row) -> str:
    """What a run that compared nothing left behind: its reason, else the last line of stderr."""
    if row.final.reason:
        return row.final.reason
    lines = row.record.stderr_tail.strip().splitlines() if row.record else []
    return lines[-1].strip() if lines else ""


def mask(text: str) -> str:
    """Text with hexadecimal addresses, numbers and runs of space made equal."""
    text = re.sub(r"0x[0-9a-fA-F]+|\b[0-9a-f]{12,}\b", "#", text)
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "#", text)).strip()
