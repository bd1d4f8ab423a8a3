"""Rule 3, row: for every row ‖a - g‖₂ / ‖g‖₂ <= k * (the same of pt) + a floor of the output's dtype.

Rows with ‖g‖₂ below sqrt(width) * t are left to the small-value rule.
"""

from __future__ import annotations

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ulp import Array

RULE = "row"


def row_limits(measures: Measures, *, k: float) -> Array:
    """‖a - g‖₂ that rule 3 allows each row, [rows]; inf for rows that the small-value rule judges."""
    limits = k * measures.same_error_norm + measures.form.row_floor * measures.gold_norm
    return np.where(measures.small_rows, np.inf, limits)


def row_ratios(measures: Measures, *, k: float) -> Array:
    """Error ÷ limit of each row, [rows]."""
    limits = row_limits(measures, k=k)
    ratios: Array = measures.error_norm / limits
    return ratios


def check_row(measures: Measures, *, k: float) -> Check:
    """The row rule; value = relative error of the worst row."""
    ratios = row_ratios(measures, k=k)
    if not ratios.size or measures.small_rows.all():
        return Check(rule=RULE, passed=True, value=0.0, limit=0.0, ratio=0.0)
    worst = int(np.argmax(ratios))
    norm = float(measures.gold_norm[worst])
    value = float(measures.error_norm[worst]) / norm if norm else 0.0
    limit = float(row_limits(measures, k=k)[worst]) / norm if norm else 0.0
    ratio = float(ratios[worst])
    wrong = int((ratios > 1.0).sum())
    detail = ""
    if wrong:
        place = measures.layout.words(worst)
        detail = f"relative error {value:.3g} at {place}, allowed {limit:.3g}; {wrong} of {ratios.size} rows"
    return Check(rule=RULE, passed=not wrong, value=value, limit=limit, ratio=ratio, detail=detail)
