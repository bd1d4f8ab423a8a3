"""Rule 4, small values: among elements with |g| < t, few may be off by more than e.

Elements of rows that rule 3 leaves out (‖g‖₂ < sqrt(width) * t) belong here whatever their own size, with an allowance
of one ulp.
"""

from __future__ import annotations

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ratio import ratio_of

RULE = "small"
FACTOR = 2
LEAST = 1
"""Elements that may be off whatever the reference does."""


def small_allowance(same: int) -> int:
    """How many small elements may be off where ``same`` of the same-precision reference's are."""
    return max(LEAST, FACTOR * same)


def check_small(measures: Measures) -> Check:
    """The small-value rule; value = count of small elements that are off."""
    wrong = int(measures.small_wrong.sum())
    limit = small_allowance(int(measures.small_wrong_same.sum()))
    passed = wrong <= limit
    detail = ""
    if not passed:
        worst = int(measures.small_wrong.argmax())
        total = int(measures.small.sum())
        detail = (
            f"{wrong} of {total} small elements are off by more than {measures.form.small_error:.3g}, "
            f"allowed {limit}; most in {measures.layout.words(worst)}"
        )
    return Check(
        rule=RULE,
        passed=passed,
        value=float(wrong),
        limit=float(limit),
        ratio=ratio_of(float(wrong), float(limit)),
        detail=detail,
    )
