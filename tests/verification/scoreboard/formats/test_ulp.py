"""Spacing and rounding of output formats."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from verification.scoreboard.ulp import FORMATS, format_of, rounded, ulp, ulp_at

NAMES = tuple(FORMATS)
FINITE = st.floats(min_value=-6.0e4, max_value=6.0e4)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(value=FINITE)
def test_ulp_is_the_distance_to_the_next_number(name: str, value: float) -> None:
    """From a number of the format to the next one away from zero is one ulp."""
    form = FORMATS[name]
    here = torch.tensor(value).to(getattr(torch, name))
    there = torch.nextafter(here, torch.tensor(math.copysign(math.inf, value), dtype=here.dtype))
    assert abs(float(there) - float(here)) == ulp_at(float(here), form)


@pytest.mark.parametrize("name", NAMES)
def test_ulp_of_zero_is_the_smallest_number(name: str) -> None:
    """At zero and among subnormals the spacing is that of the subnormals."""
    form = FORMATS[name]
    smallest = float(torch.finfo(getattr(torch, name)).smallest_normal) * 2.0**-form.fraction_bits
    assert ulp_at(0.0, form) == smallest
    assert ulp_at(smallest, form) == smallest


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(value=FINITE)
def test_rounding_gives_the_nearest_number_of_the_format(name: str, value: float) -> None:
    """The result is a number of the format, at most half an ulp away."""
    form = FORMATS[name]
    result = float(rounded(np.array([value]), form)[0])
    assert float(torch.tensor(result, dtype=torch.float64).to(getattr(torch, name))) == result
    assert abs(result - value) <= 0.5 * ulp_at(value, form)


def test_rounding_happens_once() -> None:
    """A value just above a tie of FP16 rounds up, although float32 in between would make it a tie that rounds down."""
    value = 1.0 + 2.0**-11 + 2.0**-40
    assert float(rounded(np.array([value]), FORMATS["float16"])[0]) == 1.0 + 2.0**-10


@pytest.mark.parametrize("name", NAMES)
def test_ties_go_to_even(name: str) -> None:
    """Half way between two numbers the even one is taken."""
    form = FORMATS[name]
    step = 2.0**-form.fraction_bits
    values = np.array([1.0 + 0.5 * step, 1.0 + 1.5 * step])
    assert rounded(values, form).tolist() == [1.0, 1.0 + 2.0 * step]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_a_number_of_the_format_stays_or_overflows(name: str) -> None:
    """NaN and Inf stay; beyond the greatest number is Inf with the sign."""
    values = np.array([np.nan, np.inf, -np.inf, -1e300, FORMATS[name].greatest])
    result = rounded(values, FORMATS[name])
    assert np.isnan(result[0])
    assert result[1:].tolist() == [np.inf, -np.inf, -np.inf, FORMATS[name].greatest]


def test_ulp_keeps_the_shape() -> None:
    """Any shape goes in and comes out."""
    assert ulp(np.ones((2, 3)), FORMATS["float16"]).shape == (2, 3)


def test_another_dtype_is_refused() -> None:
    """The error names what is legal."""
    with pytest.raises(ValueError, match="dtype: 'int8' is not one of float16, bfloat16, float32"):
        format_of("int8")
