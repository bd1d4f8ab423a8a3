"""Causes that the places of the wrong rows give away: whole batches, whole heads, tails, single rows, columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verification.scoreboard.evidence import Evidence
from verification.scoreboard.words import block_name, group_words, ranges

WHOLE = 0.9
"""Share of its rows from which a (batch, head) counts as wrong altogether."""
PERIODS = (256, 128, 64, 32, 16, 8, 4, 2)
NOUNS = {"b": "batch", "h": "head"}
LEAST_ROWS = 4
"""Wrong rows below which no period is looked for."""


def single(evidence: Evidence) -> str:
    """One element or one row."""
    if evidence.count == 1:
        return "a single element is wrong"
    return "a single row is wrong" if evidence.failing.sum() == 1 and evidence.failing.size > 1 else ""


def whole_groups(evidence: Evidence) -> str:
    """Whole batches, whole heads, or all there is."""
    layout, failing = evidence.layout, evidence.failing
    live = evidence.live.sum(axis=1)
    wrong = (failing & evidence.live).sum(axis=1)
    touched = failing.any(axis=1)
    whole = (wrong >= WHOLE * live) & (wrong > 0)
    if not touched.any() or not whole[touched].all():
        return ""
    if whole[live > 0].all():
        return "everything is wrong"
    grid = whole.reshape(layout.group_shape)
    for axis, name in enumerate(layout.group_axes):
        others = tuple(one for one in range(grid.ndim) if one != axis)
        members = np.flatnonzero(grid.any(axis=others))
        if np.take(grid, members, axis=axis).all():
            return _group_sentence(
                NOUNS.get(name, name), members, grid.shape[axis], alone=grid.ndim == 1 or name == "b"
            )
    return f"all of {group_words(layout, np.flatnonzero(whole)).rstrip(',')} is wrong"


def tail(evidence: Evidence) -> str:
    """Only the last rows within the length."""
    if not evidence.layout.row_axis:
        return ""
    counts, lengths = [], []
    for failing, live in zip(evidence.failing, evidence.live, strict=True):
        length = int(np.flatnonzero(live)[-1]) + 1 if live.any() else 0
        wrong = np.flatnonzero(failing & live)
        if not wrong.size:
            continue
        counts.append(length - int(wrong[0]))
        lengths.append(length)
    block = evidence.row_block
    if not counts or not all(2 * count <= length for count, length in zip(counts, lengths, strict=True)):
        return ""
    if block and all(
        length % block > 0 and count <= length % block for count, length in zip(counts, lengths, strict=True)
    ):
        return f"only rows of the tail block are wrong (length {ranges(lengths)}, block {block})"
    if block and max(counts) >= block:
        return ""
    return f"only the last {_plural(max(counts))} wrong"


def one_block(evidence: Evidence) -> str:
    """Only one block of rows."""
    block = evidence.row_block
    if not block or evidence.layout.row_axis == "t":
        return ""
    blocks = np.unique(np.flatnonzero(evidence.failing.any(axis=0)) // block)
    name = block_name(evidence.layout.row_axis)
    return f"only {name} {blocks[0]} is wrong" if blocks.size == 1 and evidence.layout.rows > block else ""


def head_rows(evidence: Evidence) -> str:
    """Only the first rows."""
    rows = np.flatnonzero(evidence.failing.any(axis=0))
    if not rows.size or 4 * (int(rows[-1]) + 1) > evidence.layout.rows:
        return ""
    if 0 < evidence.row_block <= int(rows[-1]) + 1:
        return ""
    return f"only the first {_plural(int(rows[-1]) + 1)} wrong"


def columns(evidence: Evidence) -> str:
    """Only some columns of each row."""
    wrong = np.flatnonzero(evidence.columns)
    if evidence.failing.sum() < LEAST_ROWS or not wrong.size or 2 * wrong.size > evidence.columns.size:
        return ""
    return f"only columns {ranges(wrong)} of {evidence.columns.size} are wrong"


def period(evidence: Evidence) -> str:
    """Every n-th row."""
    rows = np.flatnonzero(evidence.failing.any(axis=0))
    if rows.size < LEAST_ROWS:
        return ""
    for size in PERIODS:
        rest = np.unique(rows % size)
        if rest.size == 1:
            return f"only one row of every {size} is wrong (row % {size} = {rest[0]})"
    return ""


RECOGNISERS = (single, columns, whole_groups, tail, head_rows, one_block, period)


def _group_sentence(noun: str, members: npt.NDArray[np.intp], count: int, *, alone: bool) -> str:
    where = "" if alone else " in every batch"
    plural = ("es" if noun.endswith("ch") else "s") if members.size > 1 else ""
    verb = "are" if members.size > 1 else "is"
    rest = "the other is" if count - members.size == 1 else "the others are"
    return f"all of {noun}{plural} {ranges(members)} {verb} wrong{where}, {rest} right"


def _plural(count: int) -> str:
    return "row is" if count == 1 else f"{count} rows are"
