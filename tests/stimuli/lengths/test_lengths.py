"""Length patterns are what they are named after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import StimulusError
from stimuli.lengths import PATTERNS, draw, resolve
from stimuli.random import Stream


def lengths(spec: object, batch: int, size: int) -> list[int] | None:
    """Lengths from a fixed stream."""
    return resolve(spec, batch=batch, size=size, stream=Stream(b"test"), argument="lengths_q")  # type: ignore[arg-type]


@given(pattern=st.sampled_from(sorted(PATTERNS)), batch=st.integers(1, 9), size=st.integers(1, 500))
def test_within_range(pattern: str, batch: int, size: int) -> None:
    """One length per batch, 0 ≤ length ≤ S."""
    made = lengths(pattern, batch, size)
    assert made is not None
    assert len(made) == batch
    assert all(0 <= length <= size for length in made)


@given(batch=st.integers(1, 9), size=st.integers(2, 500))
def test_patterns(batch: int, size: int) -> None:
    """Full, shorter, mixed, zero and one, each by its definition."""
    assert lengths("full", batch, size) == [size] * batch
    assert all(1 <= length < size for length in lengths("shorter", batch, size) or [])
    assert lengths("zero", batch, size) == [size] * (batch - 1) + [0]
    assert lengths("one", batch, size) == [size] * (batch - 1) + [1]
    mixed = lengths("mixed", batch, size) or []
    assert mixed[0::4] == [size] * len(mixed[0::4])
    assert set(mixed[2::4]) <= {0}
    assert set(mixed[3::4]) <= {1}


def test_explicit_lengths_are_not_judged() -> None:
    """Lengths that a contract refuses can be made: some cases are about the refusal."""
    assert lengths([-1, 999], 1, 4) == [-1, 999]
    assert lengths(None, 3, 4) is None


@pytest.mark.parametrize("spec", ["longer", [1.5], [True]])
def test_wrong_spec(spec: object) -> None:
    """An unknown pattern or a length that is no integer is refused."""
    with pytest.raises(StimulusError, match="lengths_q"):
        lengths(spec, 1, 4)


def test_drawing() -> None:
    """A pattern draws a line per batch."""
    assert draw("one", batch=2, size=4) == "   4 ####\n   1 #..."
