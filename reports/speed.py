"""Times: the cost model's estimate beside published device times, and what the cases cost us."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports.row import Row

SLOWEST = 10
"""How many of the slowest cases a report lists."""


@dataclass(frozen=True, kw_only=True)
class ModelError:
    """How far the cost model was from published device times in this run."""

    cases: int
    lowest: float
    """Smallest estimate ÷ published."""
    highest: float
    typical: float
    """Geometric mean of estimate ÷ published."""


def model_factor(row: Row) -> float | None:
    """Estimate ÷ published device time of one case, where both are known."""
    estimate, published = row.measurement.model_us, row.published_us
    if estimate is None or published is None or not (0 < estimate < math.inf and 0 < published < math.inf):
        return None
    return estimate / published


def model_error(rows: Iterable[Row]) -> ModelError | None:
    """The cost model's error over all cases that have a published time; None if none has."""
    factors = [factor for row in rows if (factor := model_factor(row)) is not None]
    if not factors:
        return None
    typical = math.exp(math.fsum(math.log(factor) for factor in factors) / len(factors))
    return ModelError(cases=len(factors), lowest=min(factors), highest=max(factors), typical=typical)


def timed(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Cases with an estimate."""
    return tuple(row for row in rows if row.measurement.model_us is not None)


def cost(row: Row) -> float | None:
    """What a case cost, in seconds: CPU time, or wall time where that was not observed."""
    measured = row.measurement.cpu_s if row.measurement.cpu_s is not None else row.measurement.wall_s
    return measured if measured is not None and math.isfinite(measured) else None


def slowest(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The costliest cases, first the worst; ties in the plan's order."""
    measured = [row for row in rows if cost(row) is not None]
    return tuple(sorted(measured, key=lambda row: -(cost(row) or 0.0))[:SLOWEST])


def parts(row: Row) -> tuple[tuple[str, float], ...]:
    """Where a case's wall time went: compile, interpret, model, and the rest; empty if not observed."""
    measured = row.measurement
    known = (("compile", measured.compile_s), ("interpret", measured.interpret_s), ("model", measured.model_s))
    found = [(name, value) for name, value in known if value is not None and math.isfinite(value) and value >= 0]
    if measured.wall_s is not None and found and math.isfinite(measured.wall_s):
        found.append(("other", max(0.0, measured.wall_s - math.fsum(value for _, value in found))))
    return tuple(found)


def longest(rows: Sequence[Row]) -> float:
    """The longest sum of parts, in seconds: the full width of a drawing of all of them; 1 if there is none."""
    return max((math.fsum(value for _, value in parts(row)) for row in rows), default=0.0) or 1.0
