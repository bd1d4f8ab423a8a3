"""Failed cases by cause, so that sixty red cases with six faults read as six lines.

A case that shows several faults counts for each. What merely follows from a known fault (a wrong output beside one
whose cause is known) makes no line of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.bucket import mask
from reports.row import Row
from verification.record import OutputResult
from verification.suspects import rule_of
from verification.verdicts import FAILED

MOST_LINES = 3
"""Lines named under a cause; the details of a case, and ``report.json``, have them all."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Cases that failed for one cause, in the plan's order."""

    text: str
    """The cause, in the first case's own numbers; empty for cases whose errors have no pattern that is known."""
    rows: tuple[Row, ...]
    output: str
    """Of the first case: the output that gives the cause away; empty where nothing was compared."""
    place: str
    """Of the first case: where that output is wrong."""
    lines: tuple[str, ...]
    """Lines of the sources to look at first."""

    @property
    def named(self) -> tuple[str, ...]:
        """The lines for a list of causes."""
        return self.lines[:MOST_LINES]

    @property
    def unnamed(self) -> int:
        """How many lines there are beyond these."""
        return len(self.lines) - len(self.named)


def causes(rows: Iterable[Row]) -> tuple[Cause, ...]:
    """Failed cases by cause: those with lines to look at first, the commonest first; cases without a cause last."""
    grouped: dict[str, list[tuple[Row, OutputResult | None]]] = {}
    for row in rows:
        if row.verdict in FAILED:
            for name, output in _named(row).items():
                grouped.setdefault(name, []).append((row, output))
    found = [_cause(pairs) for pairs in grouped.values()]
    return tuple(sorted(found, key=lambda one: (not one.text, not one.lines, -len(one.rows))))


def _named(row: Row) -> dict[str, OutputResult | None]:
    """The causes of one case by name, each with the first output that shows it."""
    given = [(said(one), one) for one in row.outputs if not one.passed and said(one)]
    known = {rule_of(text): one for text, one in reversed(given) if rule_of(text)}
    if known:
        return dict(known)
    if given:
        text, output = given[0]
        return {mask(text): output}
    return {"": next((one for one in row.outputs if not one.passed), None)}


def said(output: OutputResult) -> str:
    """What the values of an output say, without the place that follows."""
    return output.location.cause.split("; ")[0] if output.location else ""


def _cause(pairs: list[tuple[Row, OutputResult | None]]) -> Cause:
    output = pairs[0][1]
    location = output.location if output else None
    return Cause(
        text=said(output) if output else "",
        rows=tuple(row for row, _ in pairs),
        output=output.name if output else "",
        place=location.text if location else "",
        lines=location.suspects if location else (),
    )
