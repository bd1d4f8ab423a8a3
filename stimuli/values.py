"""What the elements of one tensor are: elementary kinds, in float32 before rounding."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError
from stimuli.random import Stream

_Array = npt.NDArray[np.float32]
_Make = Callable[[Stream, tuple[int, ...], float], _Array]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One elementary kind.

    Attributes:
        make: (stream, shape, number) -> float32 of that shape.
        number: the default of the number after the colon, as in ``normal:2.3``.
        text: what the elements are, for the docs.
    """

    make: _Make
    number: float
    text: str


def _uniform(stream: Stream, shape: tuple[int, ...], bound: float) -> _Array:
    values = stream.uniform(math.prod(shape)).reshape(shape)
    return values if bound == 1.0 else values * np.float32(bound)


def _normal(stream: Stream, shape: tuple[int, ...], sigma: float) -> _Array:
    values = stream.normal(math.prod(shape)).reshape(shape)
    return values if sigma == 1.0 else values * np.float32(sigma)


def _integers(stream: Stream, shape: tuple[int, ...], bound: float) -> _Array:
    largest = int(bound)
    return (stream.integers(math.prod(shape), 2 * largest + 1) - largest).astype(np.float32).reshape(shape)


def _constant(stream: Stream, shape: tuple[int, ...], number: float) -> _Array:  # noqa: ARG001 - one signature
    return np.full(shape, number, dtype=np.float32)


def _positive(stream: Stream, shape: tuple[int, ...], largest: float) -> _Array:
    return (_uniform(stream, shape, 0.25) + np.float32(0.75)) * np.float32(largest)


def _near(stream: Stream, shape: tuple[int, ...], centre: float) -> _Array:
    return (_uniform(stream, shape, 2.0**-6) + np.float32(1.0)) * np.float32(centre)


def _shifted(stream: Stream, shape: tuple[int, ...], shift: float) -> _Array:
    return _uniform(stream, shape, 1.0) + np.float32(shift)


def _outlier(stream: Stream, shape: tuple[int, ...], factor: float) -> _Array:
    values = _uniform(stream, shape, 1.0)
    rare = stream.child("outlier").halves(values.size).reshape(shape) < 0x10000 // 1024
    values[rare] *= np.float32(factor)
    return values


def _same_row(stream: Stream, shape: tuple[int, ...], bound: float) -> _Array:
    one = (*shape[:-2], 1, shape[-1])
    return np.broadcast_to(_uniform(stream, one, bound), shape).copy()


def _extremes(stream: Stream, shape: tuple[int, ...], largest: float) -> _Array:
    table = np.array([largest, 2.0**-14, 2.0**-24, 1.0, 0.0, -1.0, -(2.0**-24), -largest], dtype=np.float32)
    return table[stream.integers(math.prod(shape), len(table))].reshape(shape)


KINDS: dict[str, Kind] = {
    "uniform": Kind(make=_uniform, number=1.0, text="k/2¹⁵ in [-1, 1), times the number"),
    "normal": Kind(make=_normal, number=1.0, text="mean 0, standard deviation = the number; a sum of 12 uniforms"),
    "integers": Kind(make=_integers, number=3.0, text="integers from -number to number"),
    "constant": Kind(make=_constant, number=1.0, text="the number everywhere"),
    "zero": Kind(make=_constant, number=0.0, text="0 everywhere"),
    "positive": Kind(make=_positive, number=1.0, text="uniform between half the number and the number"),
    "near": Kind(make=_near, number=90.0, text="the number, give or take a 64th"),
    "shifted": Kind(make=_shifted, number=1.0, text="uniform around the number, give or take 1"),
    "outlier": Kind(make=_outlier, number=64.0, text="uniform, one element in 1024 multiplied by the number"),
    "same_row": Kind(make=_same_row, number=1.0, text="every token has the same uniform vector"),
    "fp16_extremes": Kind(make=_extremes, number=65504.0, text="±number, ±1, ±2⁻²⁴, 2⁻¹⁴ and 0 (FP16 extremes)"),
}
"""Elementary kinds by name."""


def parse(spec: str, *, argument: str) -> tuple[Kind, float]:
    """Reads ``name`` or ``name:number``.

    Args:
        spec: for example ``normal:2.3``.
        argument: name of the axis, for the error.

    Returns:
        The kind and its number.

    Raises:
        StimulusError: an unknown kind, or a number that is not finite.
    """
    name, _, text = spec.partition(":") if isinstance(spec, str) else ("", "", "")
    legal = f"one of {', '.join(KINDS)}, each with an optional :number"
    if name not in KINDS:
        raise StimulusError(argument=argument, value=spec, legal=legal)
    try:
        number = float(text) if text else KINDS[name].number
    except ValueError:
        raise StimulusError(argument=argument, value=spec, legal=legal) from None
    if not math.isfinite(number):
        raise StimulusError(argument=argument, value=spec, legal=f"a finite number; {legal}")
    return KINDS[name], number


def draw(spec: str, *, stream: Stream, shape: tuple[int, ...], argument: str) -> npt.NDArray[Any]:
    """Makes the elements of one tensor.

    Args:
        spec: ``name`` or ``name:number``.
        stream: the tensor's random bits.
        shape: […, tokens, head_dim].
        argument: name of the axis, for the error.

    Returns:
        float32 of that shape.

    Raises:
        StimulusError: see :func:`parse`.
    """
    kind, number = parse(spec, argument=argument)
    return kind.make(stream, shape, number)
