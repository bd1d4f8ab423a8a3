"""Floating-point formats of outputs: their spacing, their rounding, and the numbers of the criterion per format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
_EXPONENT = np.int64(0x7FF0000000000000)
"""The exponent's bits of a float64: what is left of a value is the power of two below it."""
_NATIVE: Mapping[str, type[np.floating[Any]]] = {"float16": np.float16, "float32": np.float32}


@dataclass(frozen=True, kw_only=True)
class Format:
    """A binary floating-point format and the criterion's numbers for it (source: ``docs/criterion.md``)."""

    name: str
    fraction_bits: int
    """Explicit bits of the significand."""
    least_exponent: int
    """Exponent of the smallest normal number."""
    greatest: float
    """The largest finite number."""
    small: float
    """t: elements with |gold| below it are judged by the small-value rule."""
    small_error: float
    """e: an error that counts among small elements."""
    row_floor: float
    """Relative error of a row that is always allowed."""


FORMATS = {
    one.name: one
    for one in (
        Format(
            name="float16",
            fraction_bits=10,
            least_exponent=-14,
            greatest=65504.0,
            small=2.0**-11,
            small_error=2.0**-16,
            row_floor=2.0**-10,
        ),
        Format(
            name="bfloat16",
            fraction_bits=7,
            least_exponent=-126,
            greatest=float.fromhex("0x1.fep127"),
            small=2.0**-8,
            small_error=2.0**-16,
            row_floor=2.0**-7,
        ),
        Format(
            name="float32",
            fraction_bits=23,
            least_exponent=-126,
            greatest=float.fromhex("0x1.fffffep127"),
            small=2.0**-14,
            small_error=2.0**-30,
            row_floor=2.0**-20,
        ),
    )
}


def format_of(dtype: str) -> Format:
    """The format called ``dtype``.

    Raises:
        ValueError: it is not one that outputs can have.
    """
    try:
        return FORMATS[dtype]
    except KeyError:
        raise ValueError(f"dtype: {dtype!r} is not one of {', '.join(FORMATS)}; name the output's dtype") from None


def ulp(values: Array, form: Format) -> Array:
    """Distance between neighbours of ``form`` at each of ``values`` (any shape, finite), subnormals included."""
    power: Array = (values.view(np.int64) & _EXPONENT).view(np.float64)
    return np.maximum(power * 2.0**-form.fraction_bits, 2.0 ** (form.least_exponent - form.fraction_bits))


def ulp_at(value: float, form: Format) -> float:
    """Distance between neighbours of ``form`` at one finite ``value``."""
    return float(ulp(np.asarray([value]), form)[0])


def rounded(values: Array, form: Format) -> Array:
    """``values`` rounded once, half to even, to ``form`` (as float64); too large becomes ±Inf, NaN stays.

    Torch rounds float64 to FP16 by way of float32, which rounds twice; this does not.
    """
    native = _NATIVE.get(form.name)
    if native is not None:
        with np.errstate(over="ignore"):
            return values.astype(native).astype(np.float64)
    finite = np.isfinite(values)
    inside = np.where(finite, values, 0.0)
    spacing = ulp(inside, form)
    nearest: Array = np.rint(inside / spacing) * spacing
    nearest = np.where(np.abs(nearest) > form.greatest, np.copysign(np.inf, inside), nearest)
    return nearest if finite.all() else np.where(finite, nearest, values)
