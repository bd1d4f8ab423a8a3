"""Cases whose names promise different masks and whose masks are one."""

from __future__ import annotations

from collections import defaultdict

from reports.row import Row
from stimuli.canonical import canonical_json

MASK = "block_sparse_mask"


def same_masks(rows: tuple[Row, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of cases that differ in density, or its absence, and had the same mask all the same.

    Args:
        rows: the cases with their records; masks are compared by the digests in these.

    Returns:
        The names of each group of two and more, in the order of the rows.
    """
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        digest = row.record.input_digests.get(MASK) if row.record else None
        if digest:
            case = row.entry.case
            others = {name: value for name, value in case.params.items() if name != "density"}
            groups[case.dut, str(case.seed), canonical_json(others), digest].append(row)
    return tuple(
        tuple(row.name for row in group)
        for group in groups.values()
        if len({row.entry.case.params.get("density") for row in group}) > 1
    )
