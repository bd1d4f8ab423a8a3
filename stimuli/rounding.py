"""Rounding float32 to a tensor's dtype, to nearest with ties to even, by numpy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError

STORAGE: dict[str, type[np.generic]] = {
    "float16": np.float16,
    "bfloat16": np.uint16,
    "float32": np.float32,
    "float64": np.float64,
    "bool": np.bool_,
}
"""What numpy array holds each dtype; bfloat16 as its bits."""

_CHUNK = 1 << 16


def storage_type(dtype: str) -> type[np.generic]:
    """The numpy type that holds ``dtype``.

    Raises:
        StimulusError: an unknown dtype.
    """
    if dtype not in STORAGE:
        raise StimulusError(argument="dtype", value=dtype, legal=f"one of {', '.join(STORAGE)}")
    return STORAGE[dtype]


def round_to(dtype: str, values: npt.NDArray[np.floating[Any]]) -> npt.NDArray[Any]:
    """Rounds to nearest, ties to even; values beyond the largest finite number become Inf, NaN stays NaN.

    Args:
        dtype: ``float16``, ``bfloat16``, ``float32`` or ``float64``.
        values: float32 or float64, any shape. float64 reaches bfloat16 by way of float32.

    Returns:
        An array of the same shape and of ``storage_type(dtype)``.
    """
    if dtype == "bfloat16":
        return _bfloat16_bits(values.astype(np.float32, copy=False))
    with np.errstate(over="ignore"):
        return values.astype(storage_type(dtype))


def _bfloat16_bits(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    flat = np.ascontiguousarray(values, dtype=np.float32).reshape(-1)
    rounded = np.empty(flat.size, dtype=np.uint16)
    for start in range(0, flat.size, _CHUNK):
        part = flat[start : start + _CHUNK]
        bits = part.view(np.uint32)
        odd = (bits >> np.uint32(16)) & np.uint32(1)
        kept = (bits + odd + np.uint32(0x7FFF)) >> np.uint32(16)
        quiet_nan = (bits >> np.uint32(16)) | np.uint32(0x40)
        rounded[start : start + _CHUNK] = np.where(np.isnan(part), quiet_nan, kept)
    return rounded.reshape(values.shape)
