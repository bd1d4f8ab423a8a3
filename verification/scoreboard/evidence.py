"""What the recognisers of a failure's cause may look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch

from verification.scoreboard.layout import Layout
from verification.scoreboard.measure import Measures
from verification.scoreboard.triple import Triple
from verification.scoreboard.ulp import Array

SAMPLE_ROWS = 512
"""Wrong rows that are looked at, evenly spread."""


@dataclass(frozen=True)
class Rows:
    """Some rows as they are, NaN and Inf included; [rows, width] in float64."""

    numbers: npt.NDArray[np.intp]
    found: Array
    gold: Array


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A failed output."""

    triple: Triple
    measures: Measures
    kind: str
    """``tensor`` or ``lse``."""
    failing: npt.NDArray[np.bool_]
    """[groups, rows]."""
    severity: Array
    """Error ÷ limit, [groups, rows]."""
    columns: npt.NDArray[np.bool_]
    """[width]: positions within a row that are wrong somewhere."""
    count: int
    """Elements that are wrong."""
    row_block: int

    @property
    def layout(self) -> Layout:
        """The output's axes."""
        return self.triple.layout

    @cached_property
    def live(self) -> npt.NDArray[np.bool_]:
        """[groups, rows]: rows that select something and lie within the actual length."""
        alive = self.measures.gold_norm > 0.0
        if self.kind == "lse":
            alive = torch.isfinite(self.triple.gold[:, 0]).numpy()
        return alive.reshape(self.failing.shape)

    @cached_property
    def sample(self) -> Rows:
        """Wrong rows, evenly spread over all of them."""
        return self.rows(spread(np.flatnonzero(self.failing), SAMPLE_ROWS))

    def rows(self, numbers: npt.NDArray[np.intp]) -> Rows:
        """The rows with these numbers in the arranged output."""
        where = torch.from_numpy(numbers)
        found, gold = (one[where].to(torch.float64).numpy() for one in (self.triple.found, self.triple.gold))
        return Rows(numbers, found, gold)

    def group_gold(self, group: int) -> Array:
        """Gold of one (batch, head), [rows, width]."""
        start = group * self.layout.rows
        gold: Array = self.triple.gold[start : start + self.layout.rows].numpy()
        return gold

    @cached_property
    def noise(self) -> float:
        """Relative error, ‖a - g‖ / ‖g‖, that correct arithmetic could have."""
        form, measures = self.triple.form, self.measures
        norm = float(np.linalg.norm(measures.gold_norm))
        same = float(np.linalg.norm(measures.same_error_norm)) / norm if norm else 0.0
        return 4.0 * (same + form.row_floor)


def spread(numbers: npt.NDArray[np.intp], most: int) -> npt.NDArray[np.intp]:
    """At most ``most`` of ``numbers``, evenly spread."""
    if numbers.size <= most:
        return numbers
    return numbers[np.linspace(0, numbers.size - 1, most).round().astype(np.intp)]
