"""How far beyond the limit each row is."""

from __future__ import annotations

import numpy as np

from verification.dut import OutputSpec
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
        small = check_small(measures)
        if not small.passed:
            guilty = measures.small_wrong > measures.small_wrong_same
            worst = np.where(guilty, np.maximum(worst, small.ratio), worst)
    result: Array = np.where(measures.mismatches > 0, np.inf, worst)
    return result
