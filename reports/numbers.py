"""Numbers as text, for every renderer: short, stable, honest about what is missing, NaN or infinite."""

from __future__ import annotations

import math
import re
from typing import Any

INFINITY = math.inf
MISSING = "–"
"""Stands for a value that was not observed."""


def finite(value: float | None) -> bool:
    """Whether there is a value, and it is a finite number."""
    return value is not None and math.isfinite(value)


def number(value: Any) -> float | None:
    """A fact as a number, or None if it is not one (facts are free JSON)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def badness(value: float) -> tuple[bool, float]:
    """Sort key that puts NaN above infinity above every number."""
    return (math.isnan(value), 0.0 if math.isnan(value) else value)


def short(value: float | None) -> str:
    """Three significant digits; scientific below 0.001 and from 100,000 on."""
    if value is None:
        return MISSING
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if not 1e-3 <= abs(value) < 1e5:
        return _scientific(value)
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}".replace("-", "−")


def _scientific(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def seconds(value: float | None) -> str:
    """Seconds with their unit, to 10 ms below a minute; minutes above."""
    if value is None or not math.isfinite(value):
        return short(value)
    if value < 60:
        return f"{value:.2f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"


def microseconds(value: float | None) -> str:
    """Microseconds with their unit."""
    return MISSING if value is None else f"{short(value)} µs"


def memory(value: float | None) -> str:
    """Bytes as MiB or GiB."""
    if value is None or not math.isfinite(value):
        return short(value)
    return f"{value / 2**30:.2f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"


def percent(value: float | None) -> str:
    """A fraction as a percentage."""
    if value is None or not math.isfinite(value):
        return short(value)
    return f"{value * 100:.0f} %"


def moment(iso: str) -> str:
    """An ISO 8601 time in UTC as people read it, to the minute; any other text unchanged."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(\.\d+)?)?(\+00:00|Z)", iso)
    return f"{found[1]} {found[2]} UTC" if found else iso
