"""Rule 1, structure: NaN, +Inf and -Inf at the same places as gold; exact zeros where the semantics define them.

The semantics define a zero where a whole row is exactly zero in gold and in the same-precision reference: a row that
selects nothing, a row beyond the actual length, a key-value row that nobody attends.
"""

from __future__ import annotations

import math

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.triple import Triple

RULE = "structure"


def check_structure(measures: Measures, triple: Triple) -> Check:
    """The structure rule; value = number of elements that break it, of which none is allowed."""
    wrong = int(measures.mismatches.sum())
    return Check(
        rule=RULE,
        passed=wrong == 0,
        value=float(wrong),
        limit=0.0,
        ratio=math.inf if wrong else 0.0,
        detail=_detail(measures, triple, wrong) if wrong else "",
    )


def _detail(measures: Measures, triple: Triple, wrong: int) -> str:
    row = int(np.argmax(measures.mismatches > 0))
    element = int(np.argmax(triple.rows(np.asarray([row])).mismatch[0]))
    found = float(triple.found[row, element])
    gold = float(triple.gold[row, element])
    at = list(measures.layout.index(row, element))
    expected = "exactly 0" if gold == 0.0 else f"{gold:.6g}"
    total = math.prod(measures.layout.shape)
    return f"{found:.6g} where {expected} is right, at {at} ({measures.layout.words(row)}); {wrong} of {total} elements"
