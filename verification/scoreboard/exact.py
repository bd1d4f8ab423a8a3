"""The rule of regime ``exact``: the answer has no rounding, so the output equals gold bit for bit."""

from __future__ import annotations

import math

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures

RULE = "exact"


def check_exact(measures: Measures) -> Check:
    """Zero tolerance; value = the largest absolute error."""
    error = float(measures.max_error.max(initial=0.0))
    detail = ""
    if error:
        row = int(np.argmax(measures.max_error))
        detail = f"|a-g| = {error:.3g} at {measures.layout.words(row)}, allowed 0: this answer has no rounding"
    return Check(
        rule=RULE, passed=error == 0.0, value=error, limit=0.0, ratio=math.inf if error else 0.0, detail=detail
    )
