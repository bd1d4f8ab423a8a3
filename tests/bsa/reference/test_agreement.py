"""The references agree with an independent naive attention and with float64 autograd."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings

from bsa.reference import (
    autograd_oracle,
    backward_oracle,
    backward_same_precision,
    forward_oracle,
    forward_same_precision,
)
from tests.bsa.reference.naive_attention import SmallCall, naive_forward, small_calls

FEW = settings(max_examples=60, deadline=None)
PARTS = {torch.float16: 2**-9, torch.bfloat16: 2**-6, torch.float32: 2**-18}


def factor(call: SmallCall) -> float:
    """D times the scale: what the largest query·key product is multiplied by, at most."""
    width = call.query.shape[-1]
    return width * (width**-0.5 if call.options["scale"] is None else abs(float(call.options["scale"])))


@FEW
@given(small_calls())
def test_oracle_equals_the_naive_attention(call: SmallCall) -> None:
    """Out and LSE agree to float64 rounding, rows that select nothing exactly."""
    out, lse = naive_forward(call)
    gold = forward_oracle(*call.tensors, **call.options)
    assert gold.out.dtype == gold.lse.dtype == torch.float64
    np.testing.assert_allclose(gold.out.numpy(), out, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(gold.lse.numpy(), lse, rtol=1e-12, atol=1e-11)
    assert np.array_equal(np.isneginf(gold.lse.numpy()), np.isneginf(lse))
    assert not gold.out[torch.isneginf(gold.lse)].any()


@FEW
@given(small_calls(dtypes=(torch.float16, torch.bfloat16, torch.float32)))
def test_same_precision_stays_within_its_rounding(call: SmallCall) -> None:
    """Out errs by a few units of the operands' precision, and LSE by FP32 rounding of the logits."""
    gold, same = forward_oracle(*call.tensors, **call.options), forward_same_precision(*call.tensors, **call.options)
    assert (same.out.dtype, same.lse.dtype) == (call.query.dtype, torch.float32)
    largest = call.value.double().abs().max()
    logit = 2**-23 * (10 + float(call.query.double().abs().max() * call.key.double().abs().max()) * factor(call))
    assert ((same.out.double() - gold.out).abs() <= (PARTS[call.query.dtype] + logit) * largest + 2**-24).all()
    empty = torch.isneginf(gold.lse)
    assert torch.equal(torch.isneginf(same.lse), empty)
    assert ((same.lse - gold.lse).abs()[~empty] <= 2 * logit).all()


@settings(max_examples=200, deadline=None)
@given(small_calls(dtypes=(torch.float64,)))
def test_backward_formula_equals_autograd(call: SmallCall) -> None:
    """Fed with exact O and LSE, the formula gives the gradients of float64 autograd, on 200 random small contracts."""
    dout = torch.cos(torch.arange(call.query.numel(), dtype=torch.float64)).view(call.query.shape)
    forward = forward_oracle(*call.tensors, **call.options)
    formula = backward_oracle(dout, *call.tensors[:3], forward.out, forward.lse, call.mask, **call.options)
    automatic = autograd_oracle(dout, *call.tensors, **call.options)
    for name, mine, theirs in zip(formula._fields, formula, automatic, strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-8, atol=1e-9, err_msg=name)


@FEW
@given(small_calls(dtypes=(torch.float16, torch.bfloat16)))
def test_backward_same_precision_stays_within_its_rounding(call: SmallCall) -> None:
    """Gradients of the same-precision reference lie within rounding of the formula in float64."""
    dout = torch.cos(torch.arange(call.query.numel(), dtype=torch.float64)).view(call.query.shape).to(call.query.dtype)
    forward = forward_oracle(*call.tensors, **call.options)
    given_tensors = (dout, *call.tensors[:3], forward.out.to(dout.dtype), forward.lse.float(), call.mask)
    gold = backward_oracle(*given_tensors, **call.options)
    same = backward_same_precision(*given_tensors, **call.options)
    query, key, value = (float(tensor.double().abs().max()) for tensor in call.tensors[:3])
    change = 2 * float(dout.abs().max()) * value * factor(call)
    rows = call.query.numel() // call.query.shape[-1]
    bounds = {"dq": change * key, "dk": rows * change * query, "dv": rows * float(dout.abs().max())}
    for name, fair, right in zip(gold._fields, same, gold, strict=True):
        assert fair.dtype == dout.dtype, name
        assert ((fair.double() - right).abs() <= PARTS[dout.dtype] * bounds[name] + 2**-24).all(), name


@FEW
@given(small_calls(dtypes=(torch.float64,), layouts=("TND",)))
def test_packed_equals_padded(call: SmallCall) -> None:
    """TND gives the rows that BNSD gives after padding each sequence."""
    lengths_q, lengths_kv = call.lengths
    query, key, value = (
        _padded(tensor, lengths)
        for tensor, lengths in ((call.query, lengths_q), (call.key, lengths_kv), (call.value, lengths_kv))
    )
    padded = forward_oracle(query, key, value, call.mask, **{**call.options, "layout": "BNSD"})
    packed = forward_oracle(*call.tensors, **call.options)
    for batch, length in enumerate(lengths_q):
        rows = slice(sum(lengths_q[:batch]), sum(lengths_q[: batch + 1]))
        torch.testing.assert_close(packed.out[rows], padded.out[batch, :, :length].transpose(0, 1), rtol=0, atol=1e-12)
        torch.testing.assert_close(packed.lse[rows], padded.lse[batch, :, :length].T, rtol=0, atol=1e-11)


def _padded(tensor: torch.Tensor, lengths: tuple[int, ...]) -> torch.Tensor:
    """[T, N, D] as [B, N, S, D], NaN beyond the lengths."""
    result = tensor.new_full((len(lengths), tensor.shape[1], max(1, *lengths), tensor.shape[2]), torch.nan)
    for batch, length in enumerate(lengths):
        start = sum(lengths[:batch])
        result[batch, :, :length] = tensor[start : start + length].transpose(0, 1)
    return result
