"""Rule 4, small values: among elements with |g| < t, few may be off by more than e.

e is never less than two ulps of the element: in BF16 just below t, one ulp is e already.
"""

from __future__ import annotations

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ratio import ratio_of

RULE = "small"
FACTOR = 2
SLACK = 16
"""Elements that may be off whatever the reference does: its own count is a small random number."""


def small_allowance(same: int) -> int:
    """How many small elements may be off where ``same`` of the same-precision reference's are."""
    return FACTOR * same + SLACK


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
