"""Every block shape of a grid over the contract's range, at every head dim: gradients are right, or a rule refuses."""

from __future__ import annotations

import pytest

from tests.bsa.backward.calls import Contract, check, failures
from tests.bsa.forward.test_block_grid import GRID
from tests.support.warm_process import WarmProcess


@pytest.mark.nightly
@pytest.mark.parametrize(("block_q", "block_kv", "head_dim"), GRID)
def test_block_shape(forked: WarmProcess, block_q: int, block_kv: int, head_dim: int) -> None:
    """Two query blocks and three key blocks, the last of each a tail, a group of two heads."""
    contract = Contract(
        block_shape=(block_q, block_kv),
        seq_q=block_q + (24 if block_q > 16 else 9),
        seq_kv=2 * block_kv + (40 if block_kv > 16 else 8),
        heads_q=2,
        head_dim=head_dim,
        density=0.7,
    )
    assert not failures(forked(check, contract))
