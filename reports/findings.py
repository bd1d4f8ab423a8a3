"""What the tile sanitizer found in a run: once per statement and class, with the cases that show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.row import Row
from verification.sanitizer import Finding


@dataclass(frozen=True, kw_only=True)
class FoundRow:
    """One class of finding at one statement."""

    finding: Finding
    """As the first case has it."""
    count: int
    """How often it happened, over all attempts."""
    rows: tuple[Row, ...]
    """The cases, in the plan's order."""

    @property
    def excused(self) -> bool:
        """Whether a tagged reason stands at the line."""
        return bool(self.finding.excuse)

    @property
    def indices(self) -> str:
        """Loop indices of the first time: ``u=3, c=0``."""
        return ", ".join(f"{name}={value}" for name, value in self.finding.indices)


def findings(rows: Iterable[Row]) -> tuple[FoundRow, ...]:
    """The findings of some cases: those that count first, then excused ones, each in order of first appearance."""
    found: dict[tuple[str, str, int, str, str], list[tuple[Row, Finding]]] = {}
    for row in rows:
        for record in row.attempts:
            for data in record.measurement.findings:
                one = Finding.from_json(data)
                found.setdefault((one.kind, one.file, one.line, one.tensor, one.excuse), []).append((row, one))
    merged = [
        FoundRow(
            finding=several[0][1],
            count=sum(one.count for _, one in several),
            rows=tuple({row.case_id: row for row, _ in several}.values()),
        )
        for several in found.values()
    ]
    return tuple(sorted(merged, key=lambda one: one.excused))
