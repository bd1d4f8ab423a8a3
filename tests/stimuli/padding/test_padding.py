"""Only what lies beyond the lengths is overwritten."""

from __future__ import annotations

import numpy as np
import pytest

from stimuli.errors import StimulusError
from stimuli.padding import CONTENTS, fill


@pytest.mark.parametrize("content", sorted(CONTENTS))
def test_beyond_the_lengths(content: str) -> None:
    """Valid rows keep their values; the others hold the content, or what was drawn."""
    drawn = np.arange(3 * 2 * 5 * 4, dtype=np.float32).reshape(3, 2, 5, 4)
    array = drawn.copy()
    fill(array, [5, 2, 0], content=content, dtype="float32")
    for b, length in enumerate([5, 2, 0]):
        assert np.array_equal(array[b, :, :length], drawn[b, :, :length])
        expected = drawn[b, :, length:] if CONTENTS[content] is None else np.full((2, 5 - length, 4), CONTENTS[content])
        assert np.array_equal(array[b, :, length:], expected, equal_nan=True)


def test_no_lengths_no_padding() -> None:
    """Without lengths everything counts."""
    array = np.ones((1, 1, 3, 2), dtype=np.float16)
    fill(array, None, content="nan", dtype="float16")
    assert (array == 1).all()


def test_lengths_out_of_range() -> None:
    """Lengths that a contract refuses are clipped."""
    array = np.ones((2, 1, 3, 2), dtype=np.float16)
    fill(array, [-4, 9], content="zero", dtype="float16")
    assert (array[0] == 0).all()
    assert (array[1] == 1).all()


def test_unknown_content() -> None:
    """An unknown content is refused by name."""
    with pytest.raises(StimulusError, match="padding = 'garbage'"):
        fill(np.ones((1, 1, 1, 1)), [0], content="garbage", dtype="float16")
