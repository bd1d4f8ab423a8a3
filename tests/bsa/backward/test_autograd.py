"""Forward and backward chained agree with float64 automatic differentiation of plain softmax attention."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bsa.reference import autograd_oracle, backward_same_precision, forward_oracle
from bsa.results import Grad
from tests.bsa.backward.calls import Contract, tensors_of
from tests.support.warm_process import WarmProcess

TENSORS = ("query", "key", "value")


def chained(contract: Contract) -> dict[str, torch.Tensor]:
    """Return the gradients that torch's backward() leaves on the leaves."""
    import bsa

    tensors = tensors_of(contract)
    leaves = [tensors[name].requires_grad_() for name in TENSORS]
    out = bsa.block_sparse_attention_autograd(*leaves, tensors["block_sparse_mask"], **contract.options)
    out.backward(tensors["dout"])
    return {f"d{name[0]}": leaf.grad for name, leaf in zip(TENSORS, leaves, strict=True) if leaf.grad is not None}


def too_far(contract: Contract, grad: dict[str, torch.Tensor]) -> list[str]:
    """Return the gradients farther from float64 autograd than rounding the output and the sums explains.

    The bound is 4 times the error of the same-precision reference fed with the rounded output (the kernel's own output
    may round the other way), plus an ulp of the largest gradient.
    """
    tensors = tensors_of(contract)
    options: dict[str, Any] = contract.options
    dout, inputs = tensors["dout"], [tensors[name] for name in (*TENSORS, "block_sparse_mask")]
    gold = autograd_oracle(dout, *inputs, **options)
    forward = forward_oracle(*inputs, **options)
    out, lse = forward.out.to(dout.dtype), forward.lse.float()
    same = backward_same_precision(dout, *inputs[:3], out, lse, inputs[3], **options)
    found = []
    for name, exact, close in zip(Grad._fields, gold, same, strict=True):
        largest = float(exact.abs().max())
        ulp = torch.finfo(dout.dtype).eps * 2.0 ** math.floor(math.log2(largest)) if largest else 0.0
        limit = 4 * float((close.double() - exact).abs().max()) + ulp
        if not float((grad[name].double() - exact).abs().max()) <= limit:
            found.append(name)
    return found


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    """Draw small contracts: ratios 1 to 32, lengths with 0, blocks from 16 x 16, densities 0 to 1, both layouts."""
    batch, heads_kv = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    rows, columns = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    sides = st.sampled_from((16, 32, 48, 64, 128))
    return Contract(
        batch=batch,
        heads_q=heads_kv * draw(st.sampled_from((1, 2, 3, 7, 16, 32))),
        heads_kv=heads_kv,
        seq_q=rows,
        seq_kv=columns,
        head_dim=draw(st.sampled_from((64, 64, 128))),
        block_shape=(draw(sides), draw(sides)),
        lengths_q=tuple(draw(st.integers(0, rows)) for _ in range(batch)),
        lengths_kv=tuple(draw(st.integers(0, columns)) for _ in range(batch)),
        layout=draw(st.sampled_from(("BNSD", "TND"))),
        dtype=draw(st.sampled_from(("float16", "bfloat16"))),
        density=draw(st.sampled_from((0.0, 0.3, 0.7, 1.0))),
        scale=draw(st.sampled_from((None, 0.3, -1.0))),
        seed=draw(st.integers(0, 2**32)),
    )


def few(number: int) -> settings:
    """Settings for examples of a second and more; every run draws the same ones."""
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )


def test_a_chain(forked: WarmProcess) -> None:
    """One contract with tails, groups and a half-full mask."""
    contract = Contract(heads_q=4, heads_kv=2, seq_q=50, seq_kv=70, density=0.6, block_shape=(32, 16))
    assert too_far(contract, forked(chained, contract)) == []


@few(3)
@given(contract=contracts())
def test_agrees_with_float64_autograd(forked: WarmProcess, contract: Contract) -> None:
    """Random small contracts; the nightly test takes more of them."""
    assert too_far(contract, forked(chained, contract)) == []


@pytest.mark.nightly
@few(200)
@given(contract=contracts())
def test_agrees_with_float64_autograd_on_200_contracts(forked: WarmProcess, contract: Contract) -> None:
    """Two hundred random small contracts."""
    assert too_far(contract, forked(chained, contract)) == []


def mask_edited_in_between() -> str:
    """Return what torch says of a mask that is edited between the two passes."""
    import bsa

    tensors = tensors_of(Contract())
    leaves = [tensors[name].requires_grad_() for name in TENSORS]
    out = bsa.block_sparse_attention_autograd(*leaves, tensors["block_sparse_mask"], block_shape=(16, 16))
    tensors["block_sparse_mask"].fill_(True)
    try:
        out.backward(tensors["dout"])
    except RuntimeError as error:
        return str(error)
    return ""


def test_a_mask_edited_in_between_is_an_error(forked: WarmProcess) -> None:
    """The two passes see one mask, or none."""
    assert "modified by an inplace operation" in forked(mask_edited_in_between)


def second_derivative() -> str:
    """Return the answer to a request for a gradient that can be differentiated."""
    import bsa

    tensors = tensors_of(Contract())
    leaves = [tensors[name].requires_grad_() for name in TENSORS]
    out = bsa.block_sparse_attention_autograd(*leaves, tensors["block_sparse_mask"], block_shape=(16, 16))
    try:
        torch.autograd.grad(out, leaves, tensors["dout"], create_graph=True)
    except RuntimeError as error:
        return str(error)
    return ""


def test_a_second_derivative_is_refused(forked: WarmProcess) -> None:
    """There is no backward of the backward, and its absence is no silent zero."""
    assert "create_graph" in forked(second_derivative)
