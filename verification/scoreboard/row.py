"""Rule 3, row: for every row ‖a - g‖₂ <= k * ‖pt - g‖₂ + floor * max(‖g‖₂, sqrt(width) * t)."""

from __future__ import annotations

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ulp import Array

RULE = "row"


def row_limits(measures: Measures, *, k: float) -> Array:
    """‖a - g‖₂ that rule 3 allows each row, [rows]."""
    norms = np.maximum(measures.gold_norm, measures.norm_threshold)
    limits: Array = k * measures.same_error_norm + measures.form.row_floor * norms
    return limits


def row_ratios(measures: Measures, *, k: float) -> Array:
    """Error ÷ limit of each row, [rows]."""
    limits = row_limits(measures, k=k)
    ratios: Array = measures.error_norm / limits
    return ratios


def check_row(measures: Measures, *, k: float) -> Check:
    """The row rule; value and limit are ‖a - g‖₂ of the worst row."""
    ratios = row_ratios(measures, k=k)
    if not ratios.size:
        return Check(rule=RULE, passed=True, value=0.0, limit=0.0, ratio=0.0)
    worst = int(np.argmax(ratios))
    value, limit = float(measures.error_norm[worst]), float(row_limits(measures, k=k)[worst])
    ratio = float(ratios[worst])
    wrong = int((ratios > 1.0).sum())
    detail = ""
    if wrong:
        place = measures.layout.words(worst)
        detail = f"‖a-g‖ = {value:.3g} at {place}, allowed {limit:.3g}; {wrong} of {ratios.size} rows"
    return Check(rule=RULE, passed=not wrong, value=value, limit=limit, ratio=ratio, detail=detail)
