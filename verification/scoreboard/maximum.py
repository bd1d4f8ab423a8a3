"""Rule 2, maximum: max|a - g| <= k * max|pt - g| + 1/2 ulp(max|g|), ulp in the output's dtype.

Where every element is small, max|g| < t, the last term is e: zero by cancellation has no ulp to speak of.
"""

from __future__ import annotations

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ratio import ratio_of
from verification.scoreboard.ulp import ulp_at

RULE = "maximum"


def maximum_limit(measures: Measures, *, k: float) -> float:
    """The largest absolute error that rule 2 allows any element."""
    same = float(measures.max_same_error.max(initial=0.0))
    form = measures.form
    largest = min(float(measures.max_gold.max(initial=0.0)), form.greatest)
    last = measures.least_error if largest < form.small else max(0.5 * ulp_at(largest, form), measures.noise)
    return k * same + last


def check_maximum(measures: Measures, *, k: float) -> Check:
    """The maximum rule; value = the largest absolute error."""
    limit = maximum_limit(measures, k=k)
    error = float(measures.max_error.max(initial=0.0))
    passed = error <= limit
    detail = ""
    if not passed:
        row = int(np.argmax(measures.max_error))
        detail = f"|a-g| = {error:.3g} at {measures.layout.words(row)}, allowed {limit:.3g}"
    return Check(rule=RULE, passed=passed, value=error, limit=limit, ratio=ratio_of(error, limit), detail=detail)
