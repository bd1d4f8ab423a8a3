"""Rounding to nearest even, checked against other implementations."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import StimulusError
from stimuli.rounding import round_to


def test_bfloat16_equals_torch() -> None:
    """Every upper half of float32 with the lower halves around a tie rounds as torch does, NaN and Inf included."""
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    bits = np.concatenate([upper | low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]).astype(np.uint32)
    values = bits.view(np.float32)
    ours = torch.from_numpy(round_to("bfloat16", values).view(np.int16)).view(torch.bfloat16)
    theirs = torch.from_numpy(values).to(torch.bfloat16)
    assert torch.equal(ours.isnan(), theirs.isnan())
    assert torch.equal(ours[~ours.isnan()], theirs[~theirs.isnan()])


@given(value=st.floats(width=32, allow_nan=False, min_value=-65519, max_value=65519))
def test_float16_equals_struct(value: float) -> None:
    """FP16 equals the standard library's own conversion."""
    assert round_to("float16", np.array([value], dtype=np.float32)).tobytes() == struct.pack("<e", value)


def test_too_large_becomes_inf() -> None:
    """Values beyond the largest finite number become Inf without a warning."""
    assert np.isposinf(round_to("float16", np.array([65520.0], dtype=np.float32))).all()


def test_shape_is_kept() -> None:
    """Scalars, empty and many-dimensional arrays keep their shape."""
    for shape in ((), (0, 3), (2, 3, 4)):
        assert round_to("bfloat16", np.zeros(shape, dtype=np.float32)).shape == shape


def test_unknown_dtype() -> None:
    """An unknown dtype is refused with those that are known."""
    with pytest.raises(StimulusError, match="dtype = 'float8' cannot be used: give one of float16, bfloat16"):
        round_to("float8", np.zeros(1, dtype=np.float32))
