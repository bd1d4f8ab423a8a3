"""References that cannot be right decide nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.verification.scoreboard.made import Made, made, made_lse
from verification.dut import References
from verification.scoreboard import ReferenceFault, judge


def _with(made_output: Made, which: str, value: float) -> Made:
    tensor = getattr(made_output, which).clone()
    tensor.view(-1)[5] = value
    return replace(made_output, **{which: tensor})


@pytest.mark.parametrize("which", ["gold", "same"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_tensor_reference_is_finite(which: str, value: float) -> None:
    """NaN or Inf in a reference is its fault, not the kernel's."""
    with pytest.raises(ReferenceFault, match=which):
        _with(made(), which, value).judged()


@pytest.mark.parametrize("which", ["gold", "same"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_lse_reference_is_a_number_or_minus_infinity(which: str, value: float) -> None:
    """NaN and +Inf are no log-sum-exp."""
    with pytest.raises(ReferenceFault, match=which):
        _with(made_lse(), which, value).judged()


@pytest.mark.parametrize("which", ["gold", "same"])
def test_both_references_agree_where_a_row_selects_nothing(which: str) -> None:
    """-Inf in one of them only is a fault."""
    with pytest.raises(ReferenceFault, match="same"):
        _with(made_lse(), which, -math.inf).judged()


def test_minus_infinity_in_both_is_an_answer() -> None:
    """A row that selects nothing."""
    lse = made_lse()
    for which in ("gold", "same", "found"):
        lse = _with(lse, which, -math.inf)
    assert lse.judged().passed


def test_gold_beyond_the_dtype_may_be_infinite_in_the_other_reference() -> None:
    """70000 is Inf in FP16; the kernel must give Inf there too."""
    large = made()
    for which, value in (("gold", 7e4), ("same", math.inf)):
        large = _with(large, which, value)
    assert not large.judged().passed
    assert _with(large, "found", math.inf).judged().passed


def test_gold_is_float64() -> None:
    """A float32 oracle is refused."""
    single = replace(made(), gold=made().gold.float())
    with pytest.raises(ReferenceFault, match="float64"):
        single.judged()


def test_references_have_one_shape() -> None:
    """The shapes are named."""
    short = replace(made(), same=made().same[:, :1])
    with pytest.raises(ReferenceFault, match=r"\[2, 1, 64, 32\] is not that of gold, \[2, 3, 64, 32\]"):
        short.judged()


@pytest.mark.parametrize("which", ["gold", "same"])
def test_every_output_has_both_references(which: str) -> None:
    """A missing one is named."""
    output = made()
    tensors = {"gold": {"out": output.gold}, "same": {"out": output.same}}
    tensors[which] = {}
    with pytest.raises(ReferenceFault, match=f"{which}: no reference for output 'out'"):
        judge({"out": output.found}, References(**tensors), (output.spec,), dtype="float16")


def test_a_broken_reference_is_not_hidden_by_a_missing_output() -> None:
    """References are looked at first."""
    output = _with(made(), "gold", math.nan)
    with pytest.raises(ReferenceFault):
        judge({}, output.references(), (output.spec,), dtype="float16")


def test_references_may_require_gradients() -> None:
    """They are read without their history."""
    output = replace(made(), gold=made().gold.requires_grad_())
    assert output.judged().passed
