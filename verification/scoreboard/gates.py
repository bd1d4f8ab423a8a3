"""Additional gates: standards of others that a suite makes part of its verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from verification.record import Check, Standard
from verification.scoreboard import standards
from verification.scoreboard.triple import Slab

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
        self._ratio = 0.0

    def add(self, slab: Slab) -> None:
        """Takes what it needs from ``slab``."""
        ratio = standards.seed_ratio(slab) if self._kind == "tensor" else lse_ratio(slab)
        if slab.mismatch.any():
            ratio = math.inf
        self._ratio = max(self._ratio, ratio)

    def check(self) -> Check:
        """The gate; value = error ÷ limit of the worst element, limit = 1."""
        formula = "1e-4 + 2^-7 * |g|" if self._kind == "tensor" else "2e-6 + 2^-21 * |LSE|"
        detail = "" if self._ratio <= 1.0 else f"an error is {self._ratio:.3g} times {formula}"
        return _gate(PUBLISHED, self._ratio, detail)


def check_standard(name: str, results: Sequence[Standard]) -> Check:
    """A standard as a gate."""
    ratio = next(one.ratio for one in results if one.name == name)
    return _gate(name, ratio, "" if ratio <= 1.0 else f"{ratio:.3g} times what {name} allows")


def lse_ratio(slab: Slab) -> float:
    """Error ÷ limit by 2e-6 + 2^-21 * |LSE|."""
    return float((slab.error / (LSE_ABSOLUTE + LSE_RELATIVE * np.abs(slab.gold))).max(initial=0.0))


def _gate(rule: str, ratio: float, detail: str) -> Check:
    return Check(rule=rule, passed=ratio <= 1.0, value=ratio, limit=1.0, ratio=ratio, detail=detail)
