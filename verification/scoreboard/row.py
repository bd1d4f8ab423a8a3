"""Rule 3, row: for every row ‖a - g‖₂ <= k * p + max(floor * ‖g‖₂, sqrt(width) * e).

p is ‖pt - g‖₂ of that row, or its mean over the head's rows if that is more: the error of a single row is a random
number, and the reference may be lucky.
"""

from __future__ import annotations

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures, live_rows
from verification.scoreboard.ulp import Array

RULE = "row"


def row_limits(measures: Measures, *, k: float) -> Array:
    """‖a - g‖₂ that rule 3 allows each row, [rows]."""
    wide = (measures.layout.groups, measures.layout.rows)
    same = measures.same_error_norm.reshape(wide)
    usual = same.sum(axis=1, keepdims=True) / live_rows(measures)[:, None]
    floor = np.maximum(measures.form.row_floor * measures.gold_norm, measures.least_norm)
    limits: Array = k * np.maximum(same, usual).reshape(-1) + floor
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
