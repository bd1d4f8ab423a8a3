"""Every block shape of a grid over the contract's range, at every head dim, is right: no point needs a refusal rule."""

from itertools import product

import pytest

from tests.bsa.forward.calls import Call, assert_right, run

GRID = list(product((16, 48, 128, 256, 384, 512), (16, 80, 256, 512, 1024), (64, 128, 256)))
"""Query rows of a block, keys of a block, head dim: the contract's ends, powers of two and what is none."""


@pytest.mark.nightly
@pytest.mark.parametrize(("block_q", "block_kv", "head_dim"), GRID)
def test_block_shape(forked, block_q, block_kv, head_dim):
    """Two query blocks and three key blocks, the last of each a tail."""
    seq = (block_q + 24, 2 * block_kv + 40) if block_kv > 16 else (block_q + 9, 40)
    call = Call(block_shape=(block_q, block_kv), seq=seq, heads=(2, 1), head_dim=head_dim, density=0.7)
    assert_right(forked(run, call), call)
