"""The rule for log-sum-exp: |a - g| <= 2 * max|pt - g| + 4 ulp(|g|), ulp in float32."""

from __future__ import annotations

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ulp import FORMATS, Array, ulp

RULE = "lse"
FACTOR = 2.0
ULPS = 4.0


def lse_limits(measures: Measures) -> Array:
    """The absolute error that the rule allows each LSE, [rows]."""
    same = float(measures.max_same_error.max(initial=0.0))
    limits: Array = FACTOR * same + ULPS * ulp(measures.max_gold, FORMATS["float32"])
    return limits


def check_lse(measures: Measures) -> Check:
    """The LSE rule; value and limit are those of the worst element."""
    if not measures.max_error.size:
        return Check(rule=RULE, passed=True, value=0.0, limit=0.0, ratio=0.0)
    limits = lse_limits(measures)
    ratios = measures.max_error / limits
    worst = int(np.argmax(ratios))
    value, limit, ratio = (float(one[worst]) for one in (measures.max_error, limits, ratios))
    wrong = int((ratios > 1.0).sum())
    detail = ""
    if wrong:
        place = measures.layout.words(worst)
        detail = f"|a-g| = {value:.3g} at {place}, allowed {limit:.3g}; {wrong} of {ratios.size} rows"
    return Check(rule=RULE, passed=not wrong, value=value, limit=limit, ratio=ratio, detail=detail)
