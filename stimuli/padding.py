"""What memory holds beyond the actual lengths: nothing that may matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError
from stimuli.rounding import round_to

CONTENTS: dict[str, float | None] = {
    "zero": 0.0,
    "large": 1e3,
    "inf": float("inf"),
    "nan": float("nan"),
    "drawn": None,
}
"""Names that the axis ``padding`` accepts; ``drawn`` leaves values like those of the valid rows."""


def fill(array: npt.NDArray[Any], lengths: Sequence[int] | None, *, content: str, dtype: str, axis: int = 2) -> None:
    """Overwrites, in place, what lies at or beyond each batch's length.

    Args:
        array: [B, …], of the storage type of ``dtype``.
        lengths: one per batch; None = everything counts.
        content: a key of :data:`CONTENTS`.
        dtype: the tensor's dtype.
        axis: the axis of tokens.

    Raises:
        StimulusError: an unknown content.
    """
    if content not in CONTENTS:
        raise StimulusError(argument="padding", value=content, legal=f"one of {', '.join(CONTENTS)}")
    number = CONTENTS[content]
    if number is None or lengths is None:
        return
    element = round_to(dtype, np.full(1, number, dtype=np.float32))[0]
    for b in range(min(len(lengths), array.shape[0])):
        rows = np.moveaxis(array[b], axis - 1, 0)
        rows[max(lengths[b], 0) :] = element
