"""Each mask family makes what it is named after, on every grid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import StimulusError
from stimuli.masks import DENSITY_FAMILIES, FAMILIES, Grid, build
from stimuli.random import Stream

GRIDS = st.builds(
    Grid,
    batch=st.integers(1, 3),
    heads=st.integers(1, 6),
    seq_q=st.integers(1, 100),
    seq_kv=st.integers(1, 100),
    block_q=st.integers(1, 40),
    block_kv=st.integers(1, 40),
)
DENSITIES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def made(spec: object, grid: Grid, density: float = 0.5) -> npt.NDArray[np.bool_]:
    """The mask of a family, from a fixed stream."""
    return build(spec, grid, Stream(b"test"), density=density)  # type: ignore[arg-type]


@given(grid=GRIDS, family=st.sampled_from(FAMILIES), density=DENSITIES)
def test_shape_and_dtype(grid: Grid, family: str, density: float) -> None:
    """A bool tensor [B, Hq, blocks_q, blocks_kv], the same again from the same stream."""
    mask = made(family, grid, density)
    assert mask.shape == grid.shape
    assert mask.dtype == np.bool_
    assert np.array_equal(mask, made(family, grid, density))


@given(grid=GRIDS, density=DENSITIES, family=st.sampled_from(["random", "per_head", "single", "diagonal", "dense"]))
def test_at_least_one_block(grid: Grid, density: float, family: str) -> None:
    """Every query block selects something, whatever the density."""
    assert made(family, grid, density).any(axis=-1).all()


def test_density() -> None:
    """The share of selected blocks is the density."""
    grid = Grid(batch=2, heads=8, seq_q=1024, seq_kv=1024, block_q=16, block_kv=16)
    assert made("random", grid, 0.3).mean() == pytest.approx(0.3, abs=0.01)
    assert made("random", grid, 1.0).all()


@given(grid=GRIDS)
def test_single(grid: Grid) -> None:
    """Exactly one KV block per query block."""
    assert (made("single", grid).sum(axis=-1) == 1).all()


@given(grid=GRIDS, width=st.integers(0, 60))
def test_band(grid: Grid, width: int) -> None:
    """A block is selected exactly if it holds a token near one of the query block's, counted token by token."""
    mask = made({"family": "band", "width": width}, grid)
    for i in range(grid.blocks_q):
        rows = range(i * grid.block_q, min((i + 1) * grid.block_q, grid.seq_q))
        for j in range(grid.blocks_kv):
            columns = range(j * grid.block_kv, (j + 1) * grid.block_kv)
            near = any(abs(min(row, grid.seq_kv - 1) - column) <= width for row in rows for column in columns)
            assert (mask[:, :, i, j] == near).all()


@given(grid=GRIDS)
def test_block_causal(grid: Grid) -> None:
    """A block is selected exactly if some query token is at or after one of its tokens."""
    mask = made("block_causal", grid)
    for i in range(grid.blocks_q):
        last = min((i + 1) * grid.block_q, grid.seq_q) - 1
        for j in range(grid.blocks_kv):
            assert (mask[:, :, i, j] == (j * grid.block_kv <= last)).all()


@given(grid=GRIDS, column=st.integers(-4, 4))
def test_column(grid: Grid, column: int) -> None:
    """The named KV block and no other; a number beyond the grid selects nothing."""
    mask = made({"family": "column", "columns": [column]}, grid)
    chosen = [j for j in range(grid.blocks_kv) if column in (j, j - grid.blocks_kv)]
    assert all(mask[..., j].all() == (j in chosen) for j in range(grid.blocks_kv))
    assert mask.sum() == grid.batch * grid.heads * grid.blocks_q * len(chosen)


@given(grid=GRIDS)
def test_counts(grid: Grid) -> None:
    """Query block i of head h selects the count whose turn it is, as far as there are blocks."""
    selected = made({"family": "counts", "counts": [1, 2, 3, 5, 7]}, grid).sum(axis=-1)
    for h in range(grid.heads):
        for i in range(grid.blocks_q):
            assert (selected[:, h, i] == min((1, 2, 3, 5, 7)[(i + h) % 5], grid.blocks_kv)).all()


@given(grid=GRIDS, density=DENSITIES)
def test_empty_rows(grid: Grid, density: float) -> None:
    """The named query blocks select nothing, the others are those of ``random``."""
    mask = made({"family": "empty_rows", "rows": [0, -1]}, grid, density)
    assert not mask[:, :, [0, -1]].any()
    assert np.array_equal(mask[:, :, 1:-1], made("random", grid, density)[:, :, 1:-1])


@given(grid=GRIDS, density=DENSITIES)
def test_unattended(grid: Grid, density: float) -> None:
    """Nobody selects the last KV block; every query block still selects one if there is another."""
    mask = made("unattended", grid, density)
    assert not mask[..., -1].any()
    assert mask.any(axis=-1).all() == (grid.blocks_kv > 1)


def test_per_head() -> None:
    """Five heads have five patterns."""
    grid = Grid(batch=1, heads=5, seq_q=256, seq_kv=256, block_q=16, block_kv=16)
    mask = made("per_head", grid)
    assert len({head.tobytes() for head in mask[0]}) == 5


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(DENSITY_FAMILIES)))
def test_fixed_families_ignore_density(family: str) -> None:
    """Families outside DENSITY_FAMILIES make the same mask at any density."""
    grid = Grid(batch=2, heads=3, seq_q=90, seq_kv=90, block_q=16, block_kv=16)
    assert np.array_equal(made(family, grid, 0.2), made(family, grid, 1.0))


@pytest.mark.parametrize("spec", ["diagonals", {"family": "band", "widht": 3}, {"width": 3}])
def test_unknown(spec: object) -> None:
    """An unknown family or option is refused by name."""
    with pytest.raises(StimulusError, match="mask"):
        made(spec, Grid(batch=1, heads=1, seq_q=1, seq_kv=1, block_q=1, block_kv=1))
