"""What other projects judge kernels by, applied to the same output for comparison (formulas: ``docs/criterion.md``)."""

from __future__ import annotations

import math

import numpy as np

from verification.record import Standard
from verification.scoreboard.cann import CannTotals
from verification.scoreboard.ratio import ratio_of
from verification.scoreboard.triple import Slab
from verification.scoreboard.ulp import Array, Format, rounded

TOLERANCES = {"pypto-article": (3e-3, 3e-3), "tilelang": (1e-2, 1e-2), "flashinfer": (1e-3, 1e-3)}
"""atol and rtol of the standards that are an allclose against gold."""
SEED = (1e-4, 2.0**-7)
"""atol and rtol of the published block-sparse attention, gold rounded to the output's dtype."""
OP_PLUGIN = {"float16": 2.0**-7, "bfloat16": 2.0**-6, "float32": 2.0**-7}
"""|a - g| <= this * max(1, |g|). Published for FP16 and BF16; FP32 takes the figure of FP16."""
FA4_OFFSET = 0.3

NAMES = (
    "seed",
    "pypto-article",
    "flash-attention-2",
    "flash-attention-4",
    "cann-2.1-l0",
    "cann-2.1-l1",
    "cann-2.1-l2",
    "cann-community",
    "cann-mixed",
    "op-plugin",
    "tilelang",
    "flashinfer",
)


class Standards:
    """Collects, slab by slab, what the standards need."""

    def __init__(self, form: Format, *, k: float) -> None:
        self._form = form
        self._k = k
        self._worst = dict.fromkeys((*TOLERANCES, "seed", "op-plugin"), 0.0)
        self._error = self._same_error = self._offset_error = 0.0
        self._broken = False
        self._cann = CannTotals(form)

    def add(self, slab: Slab) -> None:
        """Takes what it needs from ``slab``."""
        if not slab.error.size:
            return
        self._broken = self._broken or bool(slab.mismatch.any())
        for name, (atol, rtol) in TOLERANCES.items():
            self._keep(name, float((slab.error / (atol + rtol * slab.size)).max()))
        self._keep("seed", float(seed_ratios(slab).max()))
        allowed = OP_PLUGIN[self._form.name] * np.maximum(1.0, slab.size)
        self._keep("op-plugin", float((slab.error / allowed).max()))
        self._error = max(self._error, float(slab.error.max()))
        self._same_error = max(self._same_error, float(slab.same_error.max()))
        self._offset_error = max(self._offset_error, _offset_error(slab))
        self._cann.add(slab)

    def results(self) -> tuple[Standard, ...]:
        """One result per standard, in the order of :data:`NAMES`. A broken structure fails all of them."""
        flash = self._k * self._same_error
        ratios = {
            **self._worst,
            "flash-attention-2": ratio_of(self._error, flash),
            "flash-attention-4": ratio_of(self._error, flash + 2.0 * self._offset_error),
            **self._cann.ratios(),
        }
        if self._broken:
            ratios = dict.fromkeys(ratios, math.inf)
        return tuple(Standard(name=name, passed=ratios[name] <= 1.0, ratio=ratios[name]) for name in NAMES)

    def _keep(self, name: str, ratio: float) -> None:
        self._worst[name] = max(self._worst[name], ratio)


def seed_ratios(slab: Slab) -> Array:
    """Error ÷ limit by the published tolerance for each element, gold rounded to the output's dtype."""
    gold = slab.gold_rounded
    atol, rtol = SEED
    ratios: Array = np.abs(slab.found - gold) / (atol + rtol * np.abs(gold))
    return ratios


def _offset_error(slab: Slab) -> float:
    """max|(ref + 0.3 - 0.3) - ref| in the output's dtype."""
    reference = slab.gold_rounded
    there = rounded(reference + FA4_OFFSET, slab.form)
    return float(np.abs(rounded(there - FA4_OFFSET, slab.form) - reference).max())
