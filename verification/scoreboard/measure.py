"""One pass over an output: everything that the rules need, per row and in total."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from verification.scoreboard.layout import Layout
from verification.scoreboard.triple import Slab, Triple
from verification.scoreboard.ulp import Array, Format, ulp, ulp_at

SMALL_ULPS = 2.0
"""Ulps of an element that never count in the small-value rule."""


class Collector(Protocol):
    """Something that looks at every slab once."""

    def add(self, slab: Slab) -> None:
        """Takes what it needs from ``slab``."""
        ...


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What one pass found. Arrays have one entry per row of the arranged output, [groups * rows]."""

    layout: Layout
    form: Format
    noise: float
    """Absolute error of an element that is always allowed."""
    mismatches: npt.NDArray[np.int64]
    """Elements that break the structure."""
    max_error: Array
    """max|a - g|."""
    max_same_error: Array
    """max|pt - g|."""
    max_gold: Array
    """max|g|."""
    error_norm: Array
    """‖a - g‖₂."""
    same_error_norm: Array
    """‖pt - g‖₂."""
    gold_norm: Array
    """‖g‖₂."""
    small: npt.NDArray[np.int64]
    """Elements judged by the small-value rule."""
    small_wrong: npt.NDArray[np.int64]
    """Those with an error that counts."""
    small_wrong_same: npt.NDArray[np.int64]
    """The same of pt."""

    @property
    def least_error(self) -> float:
        """The error of an element that does not count where the answer is small: e, or the noise if that is more."""
        return max(self.form.small_error, self.noise)

    @property
    def least_norm(self) -> float:
        """sqrt(width) * e: the error of a row that is always allowed."""
        return math.sqrt(self.layout.width) * self.least_error


def live_rows(measures: Measures) -> Array:
    """Rows of each group that are not zero in gold, [groups], one at least."""
    wide = (measures.layout.groups, measures.layout.rows)
    count: Array = np.maximum(1.0, (measures.gold_norm.reshape(wide) > 0.0).sum(axis=1))
    return count


def small_limit(slab: Slab) -> Array | float:
    """The error that counts among small elements: e, and never less than two ulps of the element."""
    form = slab.form
    if SMALL_ULPS * ulp_at(form.small * 0.999, form) <= form.small_error:
        return form.small_error
    return np.maximum(SMALL_ULPS * ulp(slab.gold, form), form.small_error)


def measure(triple: Triple, *collectors: Collector) -> Measures:
    """Reads the output once and keeps per row what the rules need; ``collectors`` see the same slabs."""
    columns: dict[str, list[npt.NDArray[Any]]] = {}
    for slab in triple.slabs():
        for collector in collectors:
            collector.add(slab)
        for name, column in _rows_of(slab, noise=triple.noise).items():
            columns.setdefault(name, []).append(column)
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    rows = joined or _rows_of(_nothing(triple), noise=triple.noise)
    return Measures(layout=triple.layout, form=triple.form, noise=triple.noise, **rows)


def _rows_of(slab: Slab, *, noise: float) -> dict[str, npt.NDArray[Any]]:
    small = slab.size < slab.form.small
    limit = np.maximum(small_limit(slab), noise)
    return {
        "mismatches": slab.mismatch.sum(axis=1),
        "max_error": slab.error.max(axis=1, initial=0.0),
        "max_same_error": slab.same_error.max(axis=1, initial=0.0),
        "max_gold": slab.size.max(axis=1, initial=0.0),
        "error_norm": np.sqrt(np.einsum("ij,ij->i", slab.error, slab.error)),
        "same_error_norm": np.sqrt(np.einsum("ij,ij->i", slab.same_error, slab.same_error)),
        "gold_norm": np.sqrt(np.einsum("ij,ij->i", slab.gold, slab.gold)),
        "small": small.sum(axis=1),
        "small_wrong": (small & (slab.error > limit)).sum(axis=1),
        "small_wrong_same": (small & (slab.same_error > limit)).sum(axis=1),
    }


def _nothing(triple: Triple) -> Slab:
    return triple.rows(np.zeros(0, dtype=np.intp))
