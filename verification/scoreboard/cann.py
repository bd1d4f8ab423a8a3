"""The precision standards of CANN: 2.1 "dual benchmark" (L0, L1, L2), community single benchmark, mixed tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from verification.scoreboard.ratio import ratio_of
from verification.scoreboard.triple import Slab
from verification.scoreboard.ulp import Array, Format, ulp

LEVELS = {"cann-2.1-l0": (10.0, 2.0, 2.0), "cann-2.1-l1": (5.0, 1.5, 1.5), "cann-2.1-l2": (2.0, 1.2, 1.2)}
"""Largest MARE, MERE and RMSE, each as a multiple of the benchmark's."""
COMMUNITY = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-13}
"""MERE below it and MARE below ten times it."""
MIXED = {
    "float16": (2.0**-9, 2.0**-9, 0.1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-16, 2.0**-10, 0.01),
}
"""atol, rtol and fallback."""
MIXED_SHARE = 0.01
"""Share of the elements that may be beyond atol + rtol * |g|."""
MIXED_ULPS = 32.0
EPSILON = 1e-7


@dataclass
class _Errors:
    """Relative and absolute errors of one result over the elements that are not small."""

    largest: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    small_wrong: int = 0

    def add(self, relative: Array, error: Array, large: npt.NDArray[np.bool_], small_error: float) -> None:
        inside = np.where(large, relative, 0.0)
        self.largest = max(self.largest, float(inside.max()))
        self.total += float(inside.sum())
        kept = np.where(large, error, 0.0)
        self.squares += float(np.einsum("ij,ij->", kept, kept))
        self.small_wrong += int((~large & (error > small_error)).sum())


@dataclass
class CannTotals:
    """Sums over all slabs, and the ratios that follow."""

    form: Format
    _found: _Errors = field(default_factory=_Errors)
    _same: _Errors = field(default_factory=_Errors)
    _large: int = 0
    _count: int = 0
    _all_largest: float = 0.0
    _all_total: float = 0.0
    _beyond: int = 0
    _mixed: float = 0.0

    def add(self, slab: Slab) -> None:
        """Takes the sums of ``slab``."""
        large = slab.size >= self.form.small
        denominator = slab.size + EPSILON
        relative = slab.error / denominator
        self._found.add(relative, slab.error, large, self.form.small_error)
        self._same.add(slab.same_error / denominator, slab.same_error, large, self.form.small_error)
        self._large += int(large.sum())
        self._count += large.size
        self._all_largest = max(self._all_largest, float(relative.max()))
        self._all_total += float(relative.sum())
        atol, rtol, fallback = MIXED[self.form.name]
        self._beyond += int((slab.error > atol + rtol * slab.size).sum())
        self._mixed = max(self._mixed, _mixed_ratio(slab, self.form, fallback))

    def ratios(self) -> dict[str, float]:
        """Error ÷ limit by standard."""
        count = max(1, self._count)
        community = COMMUNITY[self.form.name]
        return {
            **{name: self._dual(level) for name, level in LEVELS.items()},
            "cann-community": max(self._all_total / count / community, self._all_largest / (10.0 * community)),
            "cann-mixed": max(self._beyond / count / MIXED_SHARE, self._mixed),
        }

    def _dual(self, level: tuple[float, float, float]) -> float:
        found, same, large = self._found, self._same, max(1, self._large)
        pairs = (
            (found.largest, same.largest),
            (found.total / large, same.total / large),
            (math.sqrt(found.squares / large), math.sqrt(same.squares / large)),
        )
        multiples = [value / max(benchmark, self.form.small) for value, benchmark in pairs]
        small = ratio_of(found.small_wrong, max(1, 2 * same.small_wrong))
        return max(small, *(multiple / allowed for multiple, allowed in zip(multiples, level, strict=True)))


def _mixed_ratio(slab: Slab, form: Format, fallback: float) -> float:
    largest = np.asarray([slab.size.max()])
    if MIXED_ULPS * float(ulp(largest, form)[0]) <= fallback:
        return float(slab.error.max()) / fallback
    return float((slab.error / np.maximum(fallback, MIXED_ULPS * ulp(slab.gold, form))).max())
