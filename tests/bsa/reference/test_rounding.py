"""The same-precision references round where an ideal kernel must: P and dS, before they are multiplied."""

from __future__ import annotations

import pytest
import torch

from bsa.reference import backward_same_precision, forward_oracle, forward_same_precision

DTYPES = [torch.float16, torch.bfloat16]


def share(one: torch.Tensor, other: torch.Tensor) -> float:
    """Share of equal elements."""
    return float((one == other).double().mean())


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_are_rounded_before_they_meet_v(dtype: torch.dtype) -> None:
    """Two keys with V = (1, -1): O is the difference of two rounded weights, not the rounded difference."""
    generator = torch.Generator().manual_seed(0)
    query, key = torch.randn(1, 1, 512, 8, generator=generator).to(dtype), torch.zeros(1, 1, 2, 8, dtype=dtype)
    key[0, 0, 0] = 0.25
    value = torch.tensor([[1.0] * 8, [-1.0] * 8]).to(dtype).view(1, 1, 2, 8)
    weights = torch.softmax(query.float() @ key.float().mT * 8**-0.5, dim=-1)
    rounded = weights.to(dtype).float()
    out = forward_same_precision(query, key, value, None).out[..., 0]
    assert share(out, (rounded[..., 0] - rounded[..., 1]).to(dtype)) > 0.95
    assert share(out, (weights[..., 0] - weights[..., 1]).to(dtype)) < 0.5


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients_are_sums_of_rounded_terms(dtype: torch.dtype) -> None:
    """Two query rows of opposite sign: dV and dK are differences of rounded P and rounded dS."""
    generator = torch.Generator().manual_seed(0)
    key, value = (torch.randn(1, 1, 512, 8, generator=generator).to(dtype) for _ in range(2))
    query = torch.tensor([[0.5] * 8, [-0.5] * 8]).to(dtype).view(1, 1, 2, 8)
    dout = torch.tensor([[1.0] * 8, [-1.0] * 8]).to(dtype).view(1, 1, 2, 8)
    forward = forward_oracle(query, key, value, None)
    out, lse = forward.out.to(dtype), forward.lse.float()
    grad = backward_same_precision(dout, query, key, value, out, lse, None)
    weights = torch.exp(query.float() @ key.float().mT * 8**-0.5 - lse[..., None])
    change = weights * (dout.float() @ value.float().mT - (dout.float() * out.float()).sum(-1, keepdim=True))
    for result, terms, factor in ((grad.dv, weights, 1.0), (grad.dk, change, 0.5 * 8**-0.5)):
        rounded = terms.to(dtype).float()
        assert share(result[..., 0], ((rounded[0, 0, 0] - rounded[0, 0, 1]) * factor).to(dtype)) > 0.9
        assert share(result[..., 0], ((terms[0, 0, 0] - terms[0, 0, 1]) * factor).to(dtype)) < 0.85
