"""Outputs that cannot be compared are failures, never exceptions."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verification.scoreboard.made import made
from verification.record import OutputResult
from verification.scoreboard import judge

MADE = made(shape=(1, 2, 8, 4))


def _judged(outputs: Any) -> tuple[OutputResult, ...]:
    return judge(outputs, MADE.references(), (MADE.spec,), dtype="float16")


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ({}, "missing"),
        ({"out": None}, "missing"),
        ({"out": MADE.found[:, :1]}, "shape is [1, 1, 8, 4], right is [1, 2, 8, 4]"),
        ({"out": MADE.found.transpose(1, 2)}, "shape is"),
        ({"out": MADE.found.float()}, "dtype is float32, right is float16"),
        ({"out": MADE.found.to("meta")}, "no dense storage"),
        ({"out": MADE.found.to_sparse()}, "no dense storage"),
        ({"out": [1.0]}, "a list, not a tensor"),
    ],
)
def test_a_wrong_form_fails_and_says_why(outputs: Any, says: str) -> None:
    """Missing, misshapen, of another dtype, or no tensor at all."""
    (result,) = _judged(outputs)
    assert not result.passed
    assert [check.rule for check in result.checks] == ["form"]
    assert says in result.checks[0].detail
    assert result.ratio == math.inf


def test_an_output_that_no_spec_names_fails() -> None:
    """What nobody judges must not pass in silence."""
    known, extra = _judged({"out": MADE.found, "debug": MADE.found})
    assert known.passed
    assert (extra.name, extra.passed) == ("debug", False)
    assert extra.checks[0].detail == "no spec names this output"


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(0, 9), max_size=5),
    dtype=st.sampled_from((torch.float16, torch.float32, torch.bool, torch.int64, torch.complex64)),
    value=st.sampled_from((0, 1, math.nan, math.inf)),
)
def test_whatever_comes_back_gets_a_verdict(shape: list[int], dtype: torch.dtype, value: float) -> None:
    """No output raises, and none of these passes."""
    filled = value if dtype.is_floating_point else 0
    (result,) = _judged({"out": torch.full(shape, filled, dtype=dtype)})
    assert not result.passed


def test_strides_do_not_matter() -> None:
    """A transposed storage with the right values passes, with the same digest."""
    storage = MADE.found.transpose(1, 2).contiguous().transpose(1, 2)
    (result,) = _judged({"out": storage})
    assert result.passed
    assert result.digest == MADE.judged().digest


def test_an_output_with_gradient_is_judged() -> None:
    """An output that requires a gradient is read without one."""
    (result,) = _judged({"out": MADE.found.clone().requires_grad_()})
    assert result.passed


def test_an_output_without_elements_passes() -> None:
    """Nothing to compare is nothing wrong."""
    empty = made(shape=(1, 2, 0, 4))
    assert empty.judged().passed
