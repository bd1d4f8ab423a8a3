"""Additional gates: standards of others that a suite makes part of its verdict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verification.record import Check, Standard
from verification.scoreboard import standards
from verification.scoreboard.triple import Slab
from verification.scoreboard.ulp import Array

PUBLISHED = "published"
"""The tolerance of the published block-sparse attention; for LSE ours, ten times tighter than the published error."""
LSE_ABSOLUTE = 2e-6
LSE_RELATIVE = 2.0**-21


def check_names(gates: Sequence[str]) -> None:
    """Refuses gates that do not exist.

    Raises:
        ValueError: a gate is neither ``published`` nor one of the standards.
    """
    legal = (PUBLISHED, *standards.NAMES)
    for gate in gates:
        if gate not in legal:
            raise ValueError(f"gates: {gate!r} is not one of {', '.join(legal)}")


class PublishedGate:
    """Collects the largest error ÷ limit of the published tolerance."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._rows: list[Array] = []

    def add(self, slab: Slab) -> None:
        """Takes what it needs from ``slab``."""
        self._rows.append(np.where(slab.mismatch, np.inf, self.ratios(slab)).max(axis=1, initial=0.0))

    def ratios(self, slab: Slab) -> Array:
        """Error ÷ limit of each element of ``slab``."""
        return standards.seed_ratios(slab) if self._kind == "tensor" else lse_ratios(slab)

    @property
    def rows(self) -> Array:
        """Error ÷ limit of each row, [groups * rows]."""
        return np.concatenate(self._rows) if self._rows else np.zeros(0)

    def check(self) -> Check:
        """The gate; value = error ÷ limit of the worst element, limit = 1."""
        formula = "1e-4 + 2^-7 * |g|" if self._kind == "tensor" else "2e-6 + 2^-21 * |LSE|"
        ratio = float(self.rows.max(initial=0.0))
        detail = "" if ratio <= 1.0 else f"an error is {ratio:.3g} times {formula}"
        return _gate(PUBLISHED, ratio, detail)


def check_standard(name: str, results: Sequence[Standard]) -> Check:
    """A standard as a gate."""
    ratio = next(one.ratio for one in results if one.name == name)
    return _gate(name, ratio, "" if ratio <= 1.0 else f"{ratio:.3g} times what {name} allows")


def lse_ratios(slab: Slab) -> Array:
    """Error ÷ limit by 2e-6 + 2^-21 * |LSE|, for each element."""
    ratios: Array = slab.error / (LSE_ABSOLUTE + LSE_RELATIVE * slab.size)
    return ratios


def _gate(rule: str, ratio: float, detail: str) -> Check:
    return Check(rule=rule, passed=ratio <= 1.0, value=ratio, limit=1.0, ratio=ratio, detail=detail)
