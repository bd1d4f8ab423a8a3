"""Causes that the values of the wrong rows give away: unwritten, zero, one factor, an offset, a scale in FP16."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from verification.scoreboard.evidence import Evidence
from verification.scoreboard.ulp import Array

LEAST = 4
"""Elements below which no number is fitted."""
LSE_FACTOR = 1e-3
"""A factor of an LSE that is closer to one is none."""
FP16_SCALE_SLOPES = (-2.7e-4, -0.8e-4)
"""Slope of an LSE's error against the LSE when 1/sqrt(128) was stored in FP16 (relative error -1.07e-4): that for
peaked logits, twice that for many small ones, where LSE = ln n + var/2 and the mean logit is var."""

SENTINEL = -65504.0
"""The lowest finite number of FP16."""
MOST_LOG = 17.0
"""Natural logarithm of more keys than a row can have."""
MOST = 0.9
"""Share of the wrong rows that a cause has to explain."""


@dataclass(frozen=True)
class Finding:
    """A cause, with the number that explains the error if one does."""

    text: str
    ratio: float | None = None


def unwritten(evidence: Evidence) -> Finding | None:
    """The wrong rows are NaN throughout: numbers alone do not tell what is not written from what was computed so."""
    if not np.isnan(evidence.sample.found).all():
        return None
    whole = evidence.failing[evidence.live].all()
    if whole:
        return Finding("all NaN: nothing was written, or NaN was computed")
    return Finding("the wrong rows are NaN: not written, or NaN was computed")


def zeros(evidence: Evidence) -> Finding | None:
    """The wrong rows are zero throughout, or -Inf in an LSE."""
    found = evidence.sample.found
    if not found.any():
        whole = evidence.failing[evidence.live].all()
        return Finding("all zeros" if whole else "the wrong rows are all zero", 0.0)
    if evidence.kind == "lse" and np.isneginf(found).all():
        return Finding("the wrong rows are -Inf, as if they selected nothing")
    return None


def dead_rows(evidence: Evidence) -> Finding | None:
    """Only rows that have no answer are wrong."""
    if (evidence.failing & evidence.live).any():
        return None
    right = "-Inf" if evidence.kind == "lse" else "0"
    found = evidence.sample.found
    same = evidence.kind == "tensor" and found.any() and _same_within_groups(evidence)
    hint = ", all of them the same values, as the mean of V would be" if same else ""
    places = "rows that select nothing or lie beyond the actual length"
    return Finding(f"only {places} are wrong: they must be {right}{hint}")


def factor(evidence: Evidence) -> Finding | None:
    """Found is expected times one number."""
    found, gold = _finite(evidence)
    if found.size < LEAST or not gold.any():
        return None
    fit = float(found @ gold / (gold @ gold))
    residual = float(np.linalg.norm(found - fit * gold) / np.linalg.norm(gold))
    tolerance = evidence.noise * abs(fit) if evidence.kind == "tensor" else 1e-5
    least = 4.0 * residual if evidence.kind == "tensor" else LSE_FACTOR
    if residual > tolerance or abs(fit - 1.0) <= least:
        return None
    name = _factor_name(fit, evidence)
    if not name and evidence.kind == "lse" and _spread(gold) < 1e-3:
        return None
    return Finding(f"found = {fit:.4g} x expected" + (f": {name}" if name else ""), fit)


def offset(evidence: Evidence) -> Finding | None:
    """An LSE is expected plus one number."""
    if evidence.kind != "lse":
        return None
    found, gold = _finite(evidence)
    if found.size < LEAST:
        return None
    difference = found - gold
    shift = float(difference.mean())
    if np.abs(difference - shift).max() > 1e-3 * abs(shift):
        return None
    name = " = ln 2" if math.isclose(abs(shift), math.log(2.0), rel_tol=1e-3) else ""
    return Finding(f"found = expected {'+' if shift > 0 else '-'} {abs(shift):.4g}{name}")


def half_scale(evidence: Evidence) -> Finding | None:
    """The error of an LSE follows the logits as when 1/sqrt(128) was stored in FP16."""
    if evidence.kind != "lse":
        return None
    found, gold = _finite(evidence)
    if found.size < LEAST or _spread(gold) == 0.0:
        return None
    error = found - gold
    centred = gold - gold.mean()
    slope = float(centred @ error / (centred @ centred))
    if not FP16_SCALE_SLOPES[0] <= slope <= FP16_SCALE_SLOPES[1]:
        return None
    left = error - error.mean() - slope * centred
    if np.linalg.norm(left) > 0.5 * np.linalg.norm(error - error.mean()):
        return None
    ratio = float(found @ gold / (gold @ gold))
    return Finding("the error grows with the logits like that of a scale stored in FP16 (1.07e-4 x logit)", ratio)


def sentinel(evidence: Evidence) -> Finding | None:
    """An LSE is a finite minus infinity and the logarithm of a count, where the true one is below that."""
    if evidence.kind != "lse":
        return None
    found, gold = _finite(evidence)
    replaced = (gold < SENTINEL) & (np.abs(found - SENTINEL) < MOST_LOG)
    if found.size < LEAST or replaced.mean() < MOST:
        return None
    return Finding("the LSE is -65504 and the logarithm of a count: a finite minus infinity outweighs the true logits")


RECOGNISERS = (unwritten, zeros, dead_rows, sentinel, factor, offset, half_scale)


def _same_within_groups(evidence: Evidence) -> bool:
    """Whether wrong rows of one (batch, head) hold the same values, and there are several of them."""
    found, groups = evidence.sample.found, evidence.sample.numbers // evidence.layout.rows
    parts = [found[groups == group] for group in np.unique(groups)]
    return all(np.ptp(part, axis=0).max() <= 0.0 for part in parts) and any(part.shape[0] > 1 for part in parts)


def _factor_name(fit: float, evidence: Evidence) -> str:
    width = evidence.layout.width
    tolerance = max(evidence.noise if evidence.kind == "tensor" else 0.0, 1e-4)
    known = [
        (2.0, "doubled"),
        (0.5, "halved"),
        (-1.0, "the sign is wrong"),
        (1.0 / math.log(2.0), "a base-2 logarithm instead of the natural one"),
        (math.log(2.0), "a natural logarithm multiplied by ln 2 once too often"),
    ]
    if width > 1:
        known += [
            (math.sqrt(width), "the scale 1/sqrt(D) is lost"),
            (1.0 / math.sqrt(width), "the scale 1/sqrt(D) is applied twice"),
        ]
    return next((name for number, name in known if math.isclose(fit, number, rel_tol=tolerance)), "")


def _finite(evidence: Evidence) -> tuple[Array, Array]:
    found, gold = evidence.sample.found, evidence.sample.gold
    inside = np.isfinite(found) & np.isfinite(gold)
    return found[inside], gold[inside]


def _spread(gold: Array) -> float:
    return float(gold.max() - gold.min()) / max(1.0, float(np.abs(gold).max()))
