"""An output beside its two references, read in slabs small enough to stay in a processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch

from verification.scoreboard.layout import Layout
from verification.scoreboard.ulp import Array, Format, rounded

Flags = npt.NDArray[np.bool_]

SLAB_ELEMENTS = 32768
"""Elements of a slab: 256 KiB in float64; torch converts no more than this on one thread."""


@dataclass(frozen=True)
class Slab:
    """Some rows of an output. Arrays are [rows, width] in float64.

    Where the output is not finite ``found`` is gold's value, and where gold is not, all three are 0: only ``mismatch``
    tells of it.
    """

    form: Format
    rows: npt.NDArray[np.intp]
    """Numbers of the rows in the arranged output."""
    found: Array
    gold: Array
    same: Array
    mismatch: Flags
    """NaN, +Inf or -Inf in one of output and gold only, or a number where the semantics define an exact zero."""

    @cached_property
    def error(self) -> Array:
        """|a - g|."""
        return np.abs(self.found - self.gold)

    @cached_property
    def same_error(self) -> Array:
        """|pt - g|."""
        return np.abs(self.same - self.gold)

    @cached_property
    def size(self) -> Array:
        """|g|."""
        return np.abs(self.gold)

    @cached_property
    def gold_rounded(self) -> Array:
        """Gold rounded to the output's dtype."""
        return rounded(self.gold, self.form)


@dataclass(frozen=True, kw_only=True)
class Triple:
    """One output with its gold and its same-precision reference, arranged as [groups * rows, width]."""

    layout: Layout
    form: Format
    found: torch.Tensor
    gold: torch.Tensor
    same: torch.Tensor
    exact: bool = False
    """Judge against gold rounded to the output's dtype."""
    zeros: Flags | None = None
    """[groups * rows], rows that must be exactly zero; None = those that are zero in both references."""
    noise: float = 0.0
    """Absolute error of an element that is always allowed."""

    def slabs(self) -> Iterator[Slab]:
        """All rows, in order."""
        step = max(1, SLAB_ELEMENTS // max(1, self.layout.width))
        total = self.found.shape[0]
        for start in range(0, total, step):
            yield self._slab(slice(start, start + step), np.arange(start, min(start + step, total)))

    def rows(self, numbers: npt.NDArray[np.intp]) -> Slab:
        """The rows with these numbers."""
        return self._slab(torch.from_numpy(numbers), numbers)

    def _slab(self, where: slice | torch.Tensor, numbers: npt.NDArray[np.intp]) -> Slab:
        found, gold, same = (_float64(one[where]) for one in (self.found, self.gold, self.same))
        if self.exact:
            gold = rounded(gold, self.form)
        mismatch: Flags = np.zeros(found.shape, dtype=np.bool_)
        nothing = _zero_rows(gold, same) if self.zeros is None else self.zeros[numbers]
        if nothing.any():
            mismatch = nothing[:, None] & (found != 0.0)
        expected = _overflowed(gold, self.form)
        if not (np.isfinite(found).all() and np.isfinite(expected).all()):
            mismatch = mismatch | (kinds(found) != kinds(expected))
            found = np.where(np.isfinite(found), found, gold)
            found, gold, same = (np.where(np.isfinite(expected), one, 0.0) for one in (found, gold, same))
        return Slab(form=self.form, rows=numbers, found=found, gold=gold, same=same, mismatch=mismatch)


def kinds(values: Array) -> npt.NDArray[np.int8]:
    """0 = finite, 1 = NaN, 2 = +Inf, 3 = -Inf."""
    kind = np.isnan(values).astype(np.int8)
    kind[np.isposinf(values)] = 2
    kind[np.isneginf(values)] = 3
    return kind


def _zero_rows(gold: Array, same: Array) -> Flags:
    largest = np.abs(gold).max(axis=1, initial=0.0) + np.abs(same).max(axis=1, initial=0.0)
    zero: Flags = largest == 0.0
    return zero


def _overflowed(gold: Array, form: Format) -> Array:
    """Gold with what the output's dtype cannot hold as ±Inf."""
    largest = np.abs(gold).max(initial=0.0)
    return gold if largest <= form.greatest else rounded(gold, form)


def _float64(tensor: torch.Tensor) -> Array:
    array: Array = tensor.detach().to(torch.float64).numpy()
    return array
