"""The heat-map: error ÷ limit, one line per (batch, head), one column per block."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verification.scoreboard.made import made
from verification.scoreboard.heatmap import heatmap


def test_the_wrong_block_is_the_hot_one() -> None:
    """Head 4 of 6, block 1 of 4; the others are below one."""
    output = made(row_block=16)
    found = output.copy()
    found[1, 1, 20] += 1.0
    location = output.with_found(found).judged().location
    assert location is not None
    cells = np.array(location.heatmap)
    assert cells.shape == (6, 4)
    assert np.argwhere(cells > 1.0).tolist() == [[4, 1]]
    assert location.heatmap_axes == ("b, h", "query block (16 rows)")


def test_a_broken_structure_is_infinitely_hot() -> None:
    """NaN has no error."""
    output = made(row_block=16)
    found = output.copy()
    found[0, 0, 0, 0] = math.nan
    location = output.with_found(found).judged().location
    assert location is not None
    assert location.heatmap[0][0] == math.inf


@pytest.mark.parametrize(
    ("shape", "row_block", "axes"),
    [
        ((2, 3, 64, 8), 0, ("b, h", "1 rows")),
        ((2, 3, 200, 8), 0, ("b, h", "4 rows")),
        ((5, 20, 1000, 8), 4, ("b, h (2 a line)", "4 query blocks (16 rows)")),
    ],
)
def test_large_outputs_are_pooled(shape: tuple[int, ...], row_block: int, axes: tuple[str, str]) -> None:
    """At most 64 lines and 64 columns, and the axes say what a cell is."""
    output = made(shape=shape, row_block=row_block)
    location = output.with_found(output.found + 1.0).judged().location
    assert location is not None
    assert location.heatmap_axes == axes
    assert len(location.heatmap) <= 64
    assert len(location.heatmap[0]) <= 64


@settings(deadline=None)
@given(groups=st.integers(1, 200), rows=st.integers(1, 300), block=st.integers(0, 70), seed=st.integers(0, 9))
def test_pooling_keeps_the_maximum(groups: int, rows: int, block: int, seed: int) -> None:
    """The hottest row is the hottest cell, and the picture is at most 64 by 64."""
    values = np.random.default_rng(seed).random((groups, rows))
    cells = np.array(heatmap(values, block))
    assert cells.max() == values.max()
    assert cells.shape[0] <= 64
    assert cells.shape[1] <= 64
