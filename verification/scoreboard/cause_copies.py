"""Causes that show as the right answer of another place: another head, another block, shifted or equal rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verification.scoreboard.cause_values import Finding
from verification.scoreboard.evidence import Evidence, Rows, spread
from verification.scoreboard.lse import lse_limits
from verification.scoreboard.ulp import Array

GROUPS = 4
"""(batch, head) pairs that are looked at."""
ROWS = 16
"""Rows of each that are looked at."""


def constant_rows(evidence: Evidence) -> Finding | None:
    """Within each (batch, head) all wrong rows hold the same values."""
    if evidence.kind == "lse":
        return None
    groups = _groups(evidence)
    looked = [evidence.rows(_failing(evidence, group)) for group in groups]
    looked = [rows for rows in looked if rows.numbers.size > 1]
    if not looked or not all(_constant(rows, evidence.noise) for rows in looked):
        return None
    return Finding("every wrong row of a head holds the same values, as uniform weights give: the mean of V")


def other_group(evidence: Evidence) -> Finding | None:
    """The wrong rows are those of another head or another batch."""
    words = []
    for group in _groups(evidence):
        rows = evidence.rows(_failing(evidence, group))
        other = _best_group(evidence, rows, group)
        if other is not None:
            words.append(f"{evidence.layout.group_words(group)} holds the rows of {evidence.layout.group_words(other)}")
    return Finding("; ".join(words)) if words else None


def other_rows(evidence: Evidence) -> Finding | None:
    """The wrong rows are other rows of the same head."""
    group = _groups(evidence)[0]
    rows = evidence.rows(_failing(evidence, group))
    gold = evidence.group_gold(group)
    if gold.shape[0] < 2 or rows.numbers.size < 2:
        return None
    steps = set()
    for number, found in zip(rows.numbers % evidence.layout.rows, rows.found, strict=True):
        match = _best_row(evidence, found, gold)
        if match is None:
            return None
        steps.add(match - int(number))
    if 0 in steps:
        return None
    if len(steps) > 1:
        return Finding("the wrong rows hold other rows of the same head")
    step = steps.pop()
    side = "after" if step > 0 else "before"
    if evidence.row_block and step % evidence.row_block == 0:
        blocks = abs(step) // evidence.row_block
        return Finding(f"the wrong rows hold those {blocks} block{'s' if blocks > 1 else ''} {side}")
    return Finding(f"the wrong rows hold those {abs(step)} {side} them")


def low_precision(evidence: Evidence) -> Finding | None:
    """Errors that look like rounding: small against the values, and larger than the reference's nearly everywhere."""
    measures = evidence.measures
    live = evidence.live.reshape(-1)
    error, same, gold = (one[live] for one in (measures.error_norm, measures.same_error_norm, measures.gold_norm))
    if evidence.kind == "lse" or not live.any() or np.isinf(evidence.severity).any():
        return None
    share = float(np.linalg.norm(error) / np.linalg.norm(gold))
    factor = float(np.median(error / np.where(same > 0.0, same, np.inf)))
    if share > 16.0 * evidence.noise or factor < 1.5:
        return None
    return Finding(f"like a lower precision: nearly every row's error is about {factor:.2g} times the reference's")


RECOGNISERS = (constant_rows, other_group, other_rows, low_precision)


def _groups(evidence: Evidence) -> list[int]:
    return [int(one) for one in spread(np.flatnonzero((evidence.failing & evidence.live).any(axis=1)), GROUPS)]


def _failing(evidence: Evidence, group: int) -> npt.NDArray[np.intp]:
    wrong = np.flatnonzero(evidence.failing[group] & evidence.live[group])
    return spread(wrong, ROWS) + group * evidence.layout.rows


def _constant(rows: Rows, noise: float) -> bool:
    if not np.isfinite(rows.found).all():
        return False
    scale = np.linalg.norm(rows.found.mean(axis=0))
    apart = np.linalg.norm(rows.found - rows.found.mean(axis=0), axis=1).max()
    gold_apart = np.linalg.norm(rows.gold - rows.gold.mean(axis=0), axis=1).max()
    return bool(apart <= noise * scale and gold_apart > 4.0 * apart)


def _best_group(evidence: Evidence, rows: Rows, own: int) -> int | None:
    inside = rows.numbers % evidence.layout.rows
    best, least = None, np.inf
    for group in range(evidence.layout.groups):
        distance = _distance(evidence, rows.found, evidence.group_gold(group)[inside])
        if group != own and distance < least:
            best, least = group, distance
    return best if least <= 1.0 else None


def _best_row(evidence: Evidence, found: Array, gold: Array) -> int | None:
    with np.errstate(invalid="ignore"):
        apart = np.linalg.norm(gold - found, axis=1)
    if not np.isfinite(apart).any():
        return None
    row = int(np.nanargmin(apart))
    return row if _distance(evidence, found[None], gold[row][None]) <= 1.0 else None


def _distance(evidence: Evidence, found: Array, gold: Array) -> float:
    """Distance ÷ what correct arithmetic could have; inf where it cannot be told."""
    if not (np.isfinite(found).all() and np.isfinite(gold).all()) or not gold.any():
        return np.inf
    if evidence.kind == "lse":
        return float(np.abs(found - gold).max() / (2.0 * lse_limits(evidence.measures).max()))
    return float(np.linalg.norm(found - gold) / np.linalg.norm(gold) / evidence.noise)
