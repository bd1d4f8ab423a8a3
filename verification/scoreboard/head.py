"""Rule 5, head: the same for every (batch, head), with a limit that is closer.

‖a - g‖₂ <= (3/4 + 1/(4m)) k * ‖pt - g‖₂ + max(1/2 floor * ‖g‖₂ / sqrt(n), sqrt(width) * e), the norms over all
elements of the head, m and n = over how many rows pt's error and gold are spread. Over many rows the error of correct
arithmetic hardly varies; where one row outweighs the others, it is as random as that row's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verification.record import Check
from verification.scoreboard.measure import Measures
from verification.scoreboard.ulp import Array

RULE = "head"
SHARE = 0.75
"""Factor on k."""


@dataclass(frozen=True)
class _Heads:
    errors: Array
    limits: Array


def head_ratios(measures: Measures, *, k: float) -> Array:
    """Error ÷ limit of each (batch, head), [groups]."""
    heads = _heads(measures, k=k)
    ratios: Array = heads.errors / heads.limits
    return ratios


def check_head(measures: Measures, *, k: float) -> Check:
    """The head rule; value and limit are ‖a - g‖₂ of the worst head."""
    heads = _heads(measures, k=k)
    if not heads.errors.size:
        return Check(rule=RULE, passed=True, value=0.0, limit=0.0, ratio=0.0)
    ratios = heads.errors / heads.limits
    worst = int(np.argmax(ratios))
    value, limit, ratio = (float(one[worst]) for one in (heads.errors, heads.limits, ratios))
    wrong = int((ratios > 1.0).sum())
    detail = ""
    if wrong:
        place = measures.layout.group_words(worst) or "the whole output"
        detail = f"‖a-g‖ = {value:.3g} over {place}, allowed {limit:.3g}; {wrong} of {ratios.size} heads"
    return Check(rule=RULE, passed=not wrong, value=value, limit=limit, ratio=ratio, detail=detail)


def _heads(measures: Measures, *, k: float) -> _Heads:
    wide = (measures.layout.groups, measures.layout.rows)
    squares = [one.reshape(wide) ** 2 for one in (measures.error_norm, measures.same_error_norm, measures.gold_norm)]
    error, same, gold = (np.sqrt(one.sum(axis=1)) for one in squares)
    floor = np.maximum(0.5 * measures.form.row_floor * gold / np.sqrt(_spread(squares[2])), measures.least_norm)
    share = SHARE + (1.0 - SHARE) / _spread(squares[1])
    return _Heads(error, share * k * same + floor)


def _spread(squares: Array) -> Array:
    """Over how many rows of each head a sum of squares is spread, [groups]: (sum)² ÷ sum of squares, one at least.

    Args:
        squares: squared norms of the rows, [groups, rows].
    """
    scaled = squares / np.maximum(squares.max(axis=1, keepdims=True, initial=0.0), np.finfo(np.float64).tiny)
    spread: Array = scaled.sum(axis=1) ** 2 / np.maximum((scaled**2).sum(axis=1), np.finfo(np.float64).tiny)
    return np.maximum(1.0, spread)
