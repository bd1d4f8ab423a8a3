"""Coverage as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from bsa.messages import text
from verification.coverage.measure import COVERED, OPEN, Coverage, Goal, share, totals


def summary(found: Coverage) -> str:
    """A few lines: bins and pairs in numbers, then the axes that have open bins."""
    head = text("coverage.head", dut=found.dut, mode=found.run_mode, cases=found.cases)
    lines = [
        head,
        _line("coverage.bins", totals(found.bins.values())),
        _line("coverage.pairs", totals(found.pairs.values())),
    ]
    derived = totals(found.derived.values())
    lines.append(text("coverage.derived", covered=derived[COVERED], total=len(found.derived)))
    if found.capacity:
        lines += [text("coverage.capacity", mode=found.run_mode), *(f"    {line}" for line in capacity_lines(found))]
    return "\n".join([*lines, *_open_bins(found)])


def capacity_lines(found: Coverage) -> list[str]:
    """A line a capacity rule: how many pairs it leaves out, and what it says."""
    together = text("report.coverage.together")
    return [
        text("coverage.capacity_rule", count=count, rule=rule or together)
        for rule, count in found.capacity.items()
        if rule or count
    ]


def goal_text(goal: Goal) -> str:
    """A goal on one line: ``mask=band layout=TND``, tab separated."""
    return "\t".join(f"{axis}={name}" for axis, name in goal)


def _line(key: str, counted: dict[str, int]) -> str:
    covered, total = share(counted)
    percent = 100.0 * covered / total if total else 0.0
    return text(key, **{**counted, "covered": covered, "total": total, "percent": f"{percent:.1f}"})


def _open_bins(found: Coverage) -> Iterator[str]:
    states = {**found.bins, **found.derived}
    for axis in dict.fromkeys(axis for axis, _ in states):
        left = [name for (one, name), state in states.items() if one == axis and state == OPEN]
        if left:
            yield text("coverage.open", axis=axis, bins=", ".join(left))
