"""The forward is right where published kernels are wrong."""

from dataclasses import replace

import pytest
import torch

from tests.bsa.forward.calls import (
    Call,
    assert_lse,
    assert_right,
    reference,
    run,
    run_strided,
    run_with_mask_edited,
    run_without_mask,
)


def test_tails_in_both_directions_and_rows_that_select_nothing(forked):
    call = Call(batch=2, heads=(4, 2), seq=(75, 203), density=0.3)
    result = forked(run, call)
    assert bool(result.lse.isinf().any())
    assert_right(result, call)


@pytest.mark.parametrize("padding", [float("nan"), float("inf")])
def test_what_memory_holds_beyond_the_lengths_never_shows(forked, padding):
    call = Call(batch=2, seq=(75, 203), lengths=((50, 75), (203, 130)), padding=padding)
    assert_right(forked(run, call), call)


def test_lengths_of_zero_and_one(forked):
    """Where one key is all there is, the output is its value, bit for bit."""
    call = Call(batch=4, seq=(40, 70), lengths=((0, 40, 1, 40), (70, 0, 70, 1)), density=1.1)
    result = forked(run, call)
    assert_right(result, call)
    assert torch.equal(result.out[3], call.tensors()["value"][3, :, :1].expand(2, 40, -1))


def test_true_logits_below_the_smallest_half_precision_number(forked):
    """Field case F08: logits near -9e4. Softmax is shift invariant; no finite sentinel may stand in for -inf."""
    call = Call(seq=(32, 96), lengths=((32,), (70,)), density=1.1, offset=90.0)
    result, gold = forked(run, call), reference(call)
    assert float(gold.lse.max()) < -65504
    assert_lse(result, gold)
    assert bool(((result.out.double() - gold.out).abs() <= 5e-3).all())


def test_scale_is_applied_in_single_precision(forked):
    """A scale of 0.1 stored in FP16 is wrong by 2.4e-4 of the logit; what FP32 sums cost is a hundred times less."""
    call = Call(amplitude=8.0, seq=(32, 128), density=1.1, scale=0.1)
    gold = reference(call)
    assert float(gold.lse.abs().min()) > 20
    assert bool(((forked(run, call).lse.double() - gold.lse).abs() <= 2**-19 * gold.lse).all())


def test_no_mask_is_every_block(forked):
    call = Call(density=1.1)
    assert torch.equal(forked(run_without_mask, call).out, forked(run, call).out)


def test_nothing_selected_at_all(forked):
    result = forked(run, Call(density=-1.0))
    assert bool((result.out == 0).all())
    assert bool((result.lse == -torch.inf).all())


def test_mask_edited_in_place_between_calls_is_followed(forked):
    """Field case F12."""
    first, second = forked(run_with_mask_edited, Call())
    assert_right(first, Call())
    assert_right(second, replace(Call(), density=1.1))


def test_strided_inputs_equal_contiguous_ones_and_no_input_changes(forked):
    contiguous, strided, unchanged = forked(run_strided, Call(batch=2, heads=(4, 2)))
    assert torch.equal(contiguous.out, strided.out)
    assert torch.equal(contiguous.lse, strided.lse)
    assert unchanged
