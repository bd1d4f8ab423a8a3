"""The references at the edges: nothing selected, nothing there, poison beyond the lengths, one key, many heads."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from bsa.errors import ContractError
from bsa.reference import (
    autograd_oracle,
    backward_oracle,
    backward_same_precision,
    forward_oracle,
    forward_same_precision,
)
from bsa.results import Grad

FORWARDS = (forward_oracle, forward_same_precision)
BACKWARDS = (backward_oracle, backward_same_precision)
BLOCK = (16, 16)


def make(*shape: int, seed: int = 0) -> torch.Tensor:
    """Normal FP16 values."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).half()


def gradients(backward: Any, tensors: tuple[torch.Tensor, ...], mask: torch.Tensor | None, **options: Any) -> Grad:
    """Gradients fed with the oracle's O and LSE, rounded to their dtypes."""
    forward = forward_oracle(*tensors, mask, **options)
    dout = make(*tensors[0].shape, seed=9)
    grad: Grad = backward(dout, *tensors, forward.out.half(), forward.lse.float(), mask, **options)
    return grad


@pytest.mark.parametrize("run", FORWARDS)
def test_a_query_block_that_selects_nothing_gives_zero_and_minus_infinity(run: Any) -> None:
    """F04: never the mean of V, with lengths and without."""
    query, key = make(1, 2, 40, 8), make(1, 1, 40, 8, seed=1)
    mask = torch.ones(1, 2, 3, 3, dtype=torch.bool)
    mask[0, 1, 1] = False
    for lengths in (None, [40]):
        result = run(query, key, key + 1, mask, block_shape=BLOCK, actual_seq_lengths=lengths)
        assert not result.out[0, 1, 16:32].any()
        assert torch.isneginf(result.lse[0, 1, 16:32]).all()
        assert torch.isfinite(result.lse).sum() == 80 - 16


@pytest.mark.parametrize("run", FORWARDS)
@pytest.mark.parametrize(("length_q", "length_kv"), [(0, 40), (40, 0), (0, 0), (1, 1), (17, 33)])
def test_rows_beyond_the_lengths_are_zero_and_poison_there_is_never_read(
    run: Any, length_q: int, length_kv: int
) -> None:
    """NaN and Inf beyond the lengths change no bit of the result."""
    query, key, value = make(1, 2, 40, 8), make(1, 1, 40, 8, seed=1), make(1, 1, 40, 8, seed=2)
    options = {"block_shape": BLOCK, "actual_seq_lengths": [length_q], "actual_seq_lengths_kv": [length_kv]}
    clean = run(query, key, value, None, **options)
    query[:, :, length_q:], key[:, :, length_kv:], value[:, :, length_kv:] = torch.nan, torch.inf, torch.nan
    dirty = run(query, key, value, None, **options)
    assert torch.equal(clean.out, dirty.out)
    assert torch.equal(clean.lse, dirty.lse)
    assert not clean.out[:, :, length_q:].any()
    assert torch.isneginf(clean.lse[:, :, length_q:]).all()
    assert torch.isfinite(clean.lse).sum() == 2 * length_q * bool(length_kv)


@pytest.mark.parametrize("run", FORWARDS)
def test_poison_in_a_block_that_is_not_selected_is_dropped_not_multiplied_by_zero(run: Any) -> None:
    """A key block that only head 1 selects may hold NaN: head 0 is untouched and head 1 shows it."""
    query, key, value = make(1, 2, 16, 8), make(1, 1, 32, 8, seed=1), make(1, 1, 32, 8, seed=2)
    value[:, :, 16:] = torch.nan
    mask = torch.tensor([[[[True, False]], [[True, True]]]])
    result = run(query, key, value, mask, block_shape=BLOCK)
    assert torch.isfinite(result.out[0, 0]).all()
    assert torch.isnan(result.out[0, 1]).all()


@pytest.mark.parametrize("run", FORWARDS)
@pytest.mark.parametrize("keys", [1, 300, 512, 1024])
def test_lse_is_a_natural_logarithm(run: Any, keys: int) -> None:
    """F09: with K = 0 and n keys, LSE = ln n and O is the mean of V."""
    query, key = make(1, 1, 3, 64), torch.zeros(1, 1, 1024, 64, dtype=torch.float16)
    value = torch.ones(1, 1, 1024, 64, dtype=torch.float16)
    result = run(query, key, value, None, actual_seq_lengths_kv=[keys])
    torch.testing.assert_close(
        result.lse.double(), torch.full((1, 1, 3), math.log(keys)).double(), rtol=1e-6, atol=1e-6
    )
    assert (result.out == 1).all() or run is forward_same_precision


@pytest.mark.parametrize("run", FORWARDS)
def test_logits_below_any_fp16_sentinel_are_ordinary(run: Any) -> None:
    """F08: scaled logits about -9.2e4 give an ordinary softmax."""
    query = torch.full((1, 1, 16, 128), 90.0).half()
    key = torch.full((1, 1, 512, 128), -90.0).half()
    value = make(1, 1, 512, 128)
    result = run(query, key, value, None, actual_seq_lengths_kv=[300])
    mean = value[:, :, :300].double().mean(dim=2, keepdim=True).expand(1, 1, 16, 128)
    torch.testing.assert_close(result.out.double(), mean, rtol=2e-3, atol=1e-4)
    assert torch.allclose(result.lse.double(), torch.tensor(-90.0 * 90 * math.sqrt(128) + math.log(300)).double())


@pytest.mark.parametrize(("heads_q", "heads_kv"), [(8, 2), (14, 2), (28, 4), (4, 4), (6, 1), (4, 2)])
def test_query_heads_map_to_key_heads_in_groups(heads_q: int, heads_kv: int) -> None:
    """F06: head h reads key head h // (Hq / Hkv)."""
    query, key, value = make(1, heads_q, 5, 8), make(1, heads_kv, 7, 8, seed=1), make(1, heads_kv, 7, 8, seed=2)
    grouped = forward_oracle(query, key, value, None)
    each = (tensor.repeat_interleave(heads_q // heads_kv, dim=1) for tensor in (key, value))
    separate = forward_oracle(query, *each, None)
    torch.testing.assert_close(grouped.out, separate.out, rtol=0, atol=1e-13)


@pytest.mark.parametrize("run", BACKWARDS)
def test_gradients_beyond_the_lengths_are_exactly_zero_and_poison_is_never_read(run: Any) -> None:
    """F10: dirty Q, dO, O, LSE, K, V beyond the lengths change no bit; dQ, dK, dV are 0 there."""
    tensors = [make(2, 4, 40, 8), make(2, 2, 40, 8, seed=1), make(2, 2, 40, 8, seed=2)]
    options = {"block_shape": BLOCK, "actual_seq_lengths": [17, 0], "actual_seq_lengths_kv": [33, 40]}
    forward = forward_oracle(*tensors, None, **options)
    out, lse, dout = forward.out.half(), forward.lse.float(), make(2, 4, 40, 8, seed=3)
    clean = run(dout, *tensors, out, lse, None, **options)
    for tensor in (tensors[0], dout, out, lse):
        tensor[0, :, 17:], tensor[1] = torch.nan, torch.inf
    for tensor in tensors[1:]:
        tensor[0, :, 33:] = torch.nan
    dirty = run(dout, *tensors, out, lse, None, **options)
    for before, after in zip(clean, dirty, strict=True):
        assert torch.equal(before, after)
    assert not clean.dq[0, :, 17:].any()
    assert not clean.dq[1].any()
    assert not clean.dk[0, :, 33:].any()
    assert not clean.dk[1].any()
    assert not clean.dv[1].any()
    assert clean.dv[0, :, :33].any(dim=-1).all()


@pytest.mark.parametrize("run", BACKWARDS)
def test_blocks_that_take_no_part_have_zero_gradients(run: Any) -> None:
    """A query block that selects nothing and a key block that nobody selects: exactly 0."""
    tensors = (make(1, 4, 48, 8), make(1, 2, 48, 8, seed=1), make(1, 2, 48, 8, seed=2))
    mask = torch.ones(1, 4, 3, 3, dtype=torch.bool)
    mask[:, 2:, 1], mask[:, :2, :, 2] = False, False
    grad = gradients(run, tensors, mask, block_shape=BLOCK)
    assert not grad.dq[0, 2:, 16:32].any()
    assert not grad.dk[0, 0, 32:].any()
    assert not grad.dv[0, 0, 32:].any()
    assert grad.dv[0, 1].any(dim=-1).all()


@pytest.mark.parametrize("run", [*BACKWARDS, None])
def test_one_key_has_no_gradient_but_dv(run: Any) -> None:
    """F01, F07: with one key P = 1, so dV is the sum of dO, and dQ = dK = 0 exactly for integer values."""
    query, key = make(3, 1, 146, 8), make(3, 1, 1, 8, seed=1)
    value = torch.arange(24).view(3, 1, 1, 8).half()
    dout = torch.ones_like(query)
    options = {"actual_seq_lengths": [76, 34, 146], "actual_seq_lengths_kv": [1, 1, 1]}
    if run is None:
        grad = autograd_oracle(dout, query, key, value, None, **options)
    else:
        forward = forward_oracle(query, key, value, None, **options)
        grad = run(dout, query, key, value, forward.out.half(), forward.lse, None, **options)
    assert not grad.dq.any()
    assert not grad.dk.any()
    rows = torch.tensor([76.0, 34.0, 146.0]).double().view(3, 1, 1, 1).expand(3, 1, 1, 8)
    torch.testing.assert_close(grad.dv.double(), rows, rtol=1e-6, atol=0)


@pytest.mark.parametrize("layout", ["BNSD", "TND"])
@pytest.mark.parametrize("run", BACKWARDS)
def test_lse_may_have_a_last_axis_of_one(run: Any, layout: str) -> None:
    """[B, Hq, S] and [B, Hq, S, 1], [T, Hq] and [T, Hq, 1] mean the same, also where Hq = S."""
    shape = (1, 4, 4, 8) if layout == "BNSD" else (4, 4, 8)
    lengths = {"actual_seq_lengths": [4], "actual_seq_lengths_kv": [4]}
    tensors = (make(*shape), make(*shape, seed=1), make(*shape, seed=2))
    forward = forward_oracle(*tensors, None, layout=layout, **lengths)
    arguments = (make(*shape, seed=3), *tensors, forward.out.half())
    flat = run(*arguments, forward.lse, None, layout=layout, **lengths)
    column = run(*arguments, forward.lse.unsqueeze(-1), None, layout=layout, **lengths)
    for one, other in zip(flat, column, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("run", FORWARDS)
def test_strides_do_not_matter(run: Any) -> None:
    """F11: a transposed view of BSND storage, and an expanded key, give the bits of a contiguous copy."""
    query = make(1, 40, 2, 8).transpose(1, 2)
    key = make(1, 1, 40, 8, seed=1).expand(1, 2, 40, 8)
    strided = run(query, key, key, None, block_shape=BLOCK)
    plain = run(query.contiguous(), key.contiguous(), key.contiguous(), None, block_shape=BLOCK)
    assert torch.equal(strided.out, plain.out)
    assert torch.equal(strided.lse, plain.lse)


def test_inputs_are_not_changed() -> None:
    """No reference writes to what it is given."""
    query, key, mask = make(1, 2, 40, 8), make(1, 2, 40, 8, seed=1), torch.ones(1, 2, 3, 3, dtype=torch.bool)
    before = [tensor.clone() for tensor in (query, key, mask)]
    for run in FORWARDS:
        run(query, key, key, mask, block_shape=BLOCK)
    for run in BACKWARDS:
        gradients(run, (query, key, key), mask, block_shape=BLOCK)
    assert all(torch.equal(old, new) for old, new in zip(before, (query, key, mask), strict=True))


def test_a_contradiction_is_refused_with_the_argument() -> None:
    """References check shapes too: a mask of the wrong shape names itself."""
    query = make(1, 2, 40, 8)
    with pytest.raises(ContractError, match="block_sparse_mask") as caught:
        forward_oracle(query, query, query, torch.ones(1, 2, 3, 3, dtype=torch.bool))
    assert (caught.value.rule, caught.value.profile) == ("mask-shape", "reference")
