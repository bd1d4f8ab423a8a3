"""Error ÷ limit, also where the limit is zero."""

from __future__ import annotations

import math


def ratio_of(value: float, limit: float) -> float:
    """``value / limit``; 0 if both are zero, inf if only the limit is."""
    if limit > 0.0:
        return value / limit
    return math.inf if value > 0.0 else 0.0
