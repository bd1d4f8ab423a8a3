"""Coverage of the DUTs of a run, for its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from stimuli.space import IGNORED, Space
from verification.coverage import Coverage, measure, space_of
from verification.coverage.measure import OPEN, share, totals
from verification.dut import find_duts
from verification.runs import Run

AREAS = ("bins", "pairs")
"""What a table of coverage has a row for."""


def coverages(run: Run) -> tuple[Coverage, ...]:
    """The coverage of each DUT of the plan that declares a space, in its order."""
    duts = find_duts()
    names = dict.fromkeys(entry.case.dut for entry in run.plan.entries)
    spaces = [(name, space) for name in names if (space := space_of(duts, name)) is not None]
    return tuple(measure(space, name, run.plan.run_mode, (run,)) for name, space in spaces)


def counted(found: Coverage) -> dict[str, dict[str, int]]:
    """Number of bins and pairs by state."""
    return {"bins": totals(found.bins.values()), "pairs": totals(found.pairs.values())}


def percent(counts: dict[str, int]) -> float | None:
    """Share that is covered of what could be, in percent; None where nothing could be."""
    covered, total = share(counts)
    return 100.0 * covered / total if total else None


def open_bins(found: Coverage) -> list[tuple[str, list[str]]]:
    """(axis, bins that no case has) of the axes that have any, observed axes last."""
    states = {**found.bins, **found.derived}
    left: dict[str, list[str]] = {}
    for (axis, name), state in states.items():
        if state == OPEN:
            left.setdefault(axis, []).append(name)
    return list(left.items())


def reasons_of(found: Coverage) -> list[tuple[str, int]]:
    """:func:`reasons` of the space that the DUT declares; none without one."""
    space = space_of(find_duts(), found.dut)
    return reasons(space, found) if space else []


def reasons(space: Space, found: Coverage) -> list[tuple[str, int]]:
    """(reason, pairs) of what is ignored or beyond the run mode's capacity, the most frequent first.

    A pair that one rule or budget alone does not explain counts under the empty reason: several do together. A pair
    that several capacity rules leave out, each on its own, counts under each of them.
    """
    counts = Counter({rule: count for rule, count in found.capacity.items() if count})
    for pair, state in found.pairs.items():
        if state == IGNORED:
            counts[_reason(space, dict(pair))] += 1
    return counts.most_common()


def _reason(space: Space, pair: dict[str, str]) -> str:
    for rule in space.rules:
        alone = rule.kind == IGNORED and set(pair) == set(rule.where)
        if alone and all(name in rule.where[axis] for axis, name in pair.items()):
            return rule.reason
    return ""


def plain(found: Coverage) -> dict[str, Any]:
    """Coverage as JSON data."""
    return {
        "dut": found.dut,
        "run_mode": found.run_mode,
        "cases": found.cases,
        **counted(found),
        "derived": totals(found.derived.values()),
        "capacity": dict(found.capacity),
        "open_bins": dict(open_bins(found)),
        "holes": [[list(one) for one in goal] for goal in found.holes()],
    }


def all_of(found: Sequence[Coverage]) -> list[dict[str, Any]]:
    """Coverage of all DUTs as JSON data."""
    return [plain(one) for one in found]
