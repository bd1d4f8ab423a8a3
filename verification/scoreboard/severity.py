"""How far beyond the limit each row is."""

from __future__ import annotations

import numpy as np

from verification.dut import OutputSpec
from verification.scoreboard.head import head_ratios
from verification.scoreboard.lse import lse_limits
from verification.scoreboard.maximum import maximum_limit
from verification.scoreboard.measure import Measures
from verification.scoreboard.row import row_ratios
from verification.scoreboard.small import check_small
from verification.scoreboard.ulp import Array


def severity(measures: Measures, spec: OutputSpec, *, exact: bool) -> Array:
    """Error ÷ limit of each row by the strictest rule, [groups * rows]; inf where the structure is broken."""
    if spec.kind == "lse":
        worst = measures.max_error / lse_limits(measures)
    elif exact:
        worst = np.where(measures.max_error > 0.0, np.inf, 0.0)
    else:
        worst = np.maximum(measures.max_error / maximum_limit(measures, k=spec.k), row_ratios(measures, k=spec.k))
        worst = np.maximum(worst, _by_head(measures, worst, k=spec.k))
        small = check_small(measures)
        if not small.passed and not (worst > 1.0).any():
            guilty = measures.small_wrong > measures.small_wrong_same
            worst = np.where(guilty, np.maximum(worst, small.ratio), worst)
    result: Array = np.where(measures.mismatches > 0, np.inf, worst)
    return result


def _by_head(measures: Measures, known: Array, *, k: float) -> Array:
    """A row's error ÷ the error that the head rule allows rows on average, in heads that break no other rule."""
    wide = (measures.layout.groups, measures.layout.rows)
    ratios = head_ratios(measures, k=k)[:, None]
    errors = measures.error_norm.reshape(wide)
    average = np.sqrt((errors**2).mean(axis=1, keepdims=True))
    unexplained = (ratios > 1.0) & ~(known.reshape(wide) > 1.0).any(axis=1, keepdims=True)
    shares = np.where(unexplained, ratios * errors / np.where(average > 0.0, average, 1.0), 0.0)
    return shares.reshape(-1)
