"""What memory holds beyond the actual lengths never matters, and is answered by exact zeros."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from bsa.results import Grad
from tests.bsa.backward.calls import Contract, call, dirty, tensors_of
from tests.support.warm_process import WarmProcess

RAGGED = Contract(
    batch=2,
    heads_q=4,
    heads_kv=2,
    seq_q=80,
    seq_kv=90,
    lengths_q=(72, 33),
    lengths_kv=(70, 90),
    block_shape=(32, 16),
    density=0.7,
)


def gradients(contract: Contract, fills: tuple[float, ...]) -> list[Grad]:
    """Return the gradients for each padding."""
    given = tensors_of(contract)
    return [call(contract, dirty(contract, given, fill)) for fill in fills]


@pytest.mark.parametrize(
    ("layout", "fills"), [("BNSD", (math.nan, math.inf)), ("TND", (math.nan, 1e3))], ids=["BNSD", "TND"]
)
def test_padding_never_matters(forked: WarmProcess, layout: str, fills: tuple[float, ...]) -> None:
    """NaN, Inf and large numbers in all six tensors leave every bit as zeros leave it, and their rows at 0."""
    contract = replace(RAGGED, layout=layout)
    clean, *soiled = forked(gradients, contract, (0.0, *fills))
    for grad in soiled:
        assert all(torch.equal(a, b) for a, b in zip(clean, grad, strict=True))
    for gradient, lengths in zip(clean, (contract.rows[0], contract.rows[1], contract.rows[1]), strict=True):
        if layout == "TND":
            assert not gradient[sum(lengths) :].any()
        else:
            assert not any(gradient[batch, :, length:].any() for batch, length in enumerate(lengths))
