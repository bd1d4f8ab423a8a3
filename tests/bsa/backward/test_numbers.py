"""Gradients are as close to float64 as the operands' precision allows: layouts, dtypes, ratios, tails, chunks."""

from __future__ import annotations

import pytest

from tests.bsa.backward.calls import Contract, check, failures
from tests.support.warm_process import WarmProcess

RAGGED = Contract(
    batch=3,
    heads_q=4,
    heads_kv=2,
    seq_q=80,
    seq_kv=100,
    lengths_q=(80, 33, 0),
    lengths_kv=(70, 100, 16),
    block_shape=(32, 16),
    density=0.6,
)
"""Tails on both sides, an empty sequence, blocks that nobody selects."""


def variant(**fields: object) -> Contract:
    """Return RAGGED with other fields."""
    return Contract(**{**RAGGED.__dict__, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["BNSD", "TND"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_both_layouts_and_dtypes(forked: WarmProcess, layout: str, dtype: str) -> None:
    """Ragged lengths, half-selected blocks and groups of two heads."""
    assert not failures(forked(check, variant(layout=layout, dtype=dtype)))


@pytest.mark.parametrize(
    "contract",
    [
        pytest.param(Contract(heads_q=7, heads_kv=1, density=0.7, seq_q=40), id="ratio 7"),
        pytest.param(Contract(heads_q=32, heads_kv=1, seq_q=20, layout="TND"), id="ratio 32, every block a tail"),
        pytest.param(Contract(seq_q=200, seq_kv=300, density=0.9, heads_q=2), id="several chunks"),
        pytest.param(Contract(seq_q=1, seq_kv=1, block_shape=(256, 512), head_dim=128), id="one row"),
        pytest.param(Contract(head_dim=128, seq_q=70, seq_kv=130, block_shape=(48, 112)), id="sides not powers of two"),
        pytest.param(Contract(head_dim=256, seq_q=70, seq_kv=70, block_shape=(64, 32)), id="head_dim 256"),
        pytest.param(Contract(scale=-0.7, seq_q=20), id="negative scale"),
        pytest.param(Contract(scale=0.0, seq_q=20), id="scale 0"),
    ],
)
def test_contract(forked: WarmProcess, contract: Contract) -> None:
    """One corner of the contract each."""
    assert not failures(forked(check, contract))


def test_published_blocks(forked: WarmProcess) -> None:
    """Blocks of 256 x 512 at head_dim 128: two query blocks, a key tail, within the published largest errors."""
    contract = Contract(heads_q=2, seq_q=512, seq_kv=600, lengths_q=(300,), block_shape=(256, 512), head_dim=128)
    verdicts = forked(check, contract)
    assert not failures(verdicts)
    assert {one.name: one.error for one in verdicts} == pytest.approx({"dq": 0, "dk": 0, "dv": 0}, abs=1.22e-4)
