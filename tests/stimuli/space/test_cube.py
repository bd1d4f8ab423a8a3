"""The capacity rules of the backward pass count what the kernel has."""

from __future__ import annotations

from itertools import product

import pytest

from bsa.kernels.backward_config import DEFAULT
from stimuli.space import BACKWARD_SPACE
from stimuli.space.attention import BLOCKS
from stimuli.space.axis import NIGHT
from stimuli.space.cube import DEFAULT_SIDE, executed_tiles, joined, key_tiles, query_tiles
from stimuli.space.frozen import assignments
from stimuli.space.tables import Tables

PLAIN = BACKWARD_SPACE.defaults()


@pytest.mark.parametrize(("block", "dim"), list(product(BLOCKS, (64, 128, 256))))
def test_as_many_blocks_are_joined_as_by_the_kernel(block: str, dim: int) -> None:
    """The declared widths are those of the kernel's configuration, and so is the side of a cube tile."""
    for side in BLOCKS[block]:
        assert joined(1000, side, dim) == DEFAULT.widest(side, dim)
        assert joined(1, side, dim) == 1
    assert {DEFAULT_SIDE} == {DEFAULT.cube_m[0], DEFAULT.cube_n[0], DEFAULT.cube_k[0]}


def test_tiles_of_a_pass_are_counted() -> None:
    """256 query rows, 512 key rows: products of 2 x 4 x 1 tiles; with half the side eight times as many."""
    assert (query_tiles(PLAIN), key_tiles(PLAIN), executed_tiles(PLAIN)) == (3 * 8, 4 * 8, 7 * 8)
    small = {**PLAIN, "tiles": "small"}
    assert (query_tiles(small), key_tiles(small), executed_tiles(small)) == (3 * 64, 4 * 64, 7 * 64)
    joined_keys = {**PLAIN, "head_dim": "64", "seq_kv": "several"}
    assert query_tiles(joined_keys) == 3 * 2 * 8
    grouped = {**PLAIN, "heads": "4/2", "batch": "two"}
    assert (key_tiles(grouped), executed_tiles(grouped)) == (2 * 4 * 8, 2 * 4 * 7 * 8)


def test_what_the_day_cannot_hold_the_night_can() -> None:
    """Small tiles in the largest blocks are left out of the default suites only; triples has them."""
    rows = {mode: Tables(BACKWARD_SPACE, run_mode=mode, kinds=()) for mode in ("sim", NIGHT)}
    large = {**PLAIN, "tiles": "small", "block": "512x1024", "threshold_q": "by class"}
    held = {mode: bool(tables.holds(tables.rows([large]))[0]) for mode, tables in rows.items()}
    assert held == {"sim": False, NIGHT: True}
    both = {strength: _pairs_of(strength) for strength in (2, 3)}
    assert not both[2]
    assert both[3]


def _pairs_of(strength: int) -> list[dict[str, str]]:
    rows = assignments(BACKWARD_SPACE, strength)
    return [row for row in rows if row["tiles"] == "small" and row["block"] == "512x1024"]
