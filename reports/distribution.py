"""How near to the limit the outputs came: counts of error ÷ limit in fixed bins."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable
from dataclasses import dataclass

from reports.row import Row

EDGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 2.0, 10.0, 100.0)
"""Upper edges, each belonging to its bin: tenths up to the limit, coarse beyond it."""


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Outputs with low < error ÷ limit <= high; the first bin holds 0, the last infinity and NaN."""

    low: float
    high: float
    count: int

    @property
    def within(self) -> bool:
        """Whether the bin lies within the limit."""
        return self.high <= 1.0


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Error ÷ limit of one output of one DUT."""

    dut: str
    output: str
    bins: tuple[Bin, ...]
    total: int


def distributions(rows: Iterable[Row]) -> tuple[Distribution, ...]:
    """One distribution for each (DUT, output), in order of first appearance."""
    ratios: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        for output in row.outputs:
            if output.checks:
                ratios.setdefault((row.dut, output.name), []).append(output.ratio)
    return tuple(
        Distribution(dut=dut, output=output, bins=_bins(found), total=len(found))
        for (dut, output), found in ratios.items()
    )


def _bins(ratios: list[float]) -> tuple[Bin, ...]:
    lows = (0.0, *EDGES)
    highs = (*EDGES, math.inf)
    held = [0] * len(highs)
    for ratio in ratios:
        held[len(EDGES) if math.isnan(ratio) else bisect.bisect_left(EDGES, ratio)] += 1
    return tuple(Bin(low=low, high=high, count=count) for low, high, count in zip(lows, highs, held, strict=True))
