"""Causes that the values give away."""

from __future__ import annotations

import math

import pytest
import torch

from tests.verification.scoreboard.attention_data import data, results
from tests.verification.scoreboard.made import Made, made, made_lse
from verification.record import Location
from verification.scoreboard.selftest import FAULTS, Recipe, attend


def _location(output: Made, found: torch.Tensor) -> Location:
    location = output.with_found(found).judged().location
    assert location is not None
    return location


def test_all_zeros() -> None:
    """Nothing but zeros."""
    output = made()
    location = _location(output, torch.zeros_like(output.found))
    assert location.cause == "all zeros; everything is wrong"
    assert location.ratio_fit == 0.0


def test_some_rows_are_zero() -> None:
    """Rows that were cleared and not written."""
    output = made(row_block=16)
    found = output.copy()
    found[0, 1, 16:32] = 0.0
    assert _location(output, found).cause == "the wrong rows are all zero; only query block 1 is wrong"


def test_nothing_was_written() -> None:
    """Outputs are allocated as NaN."""
    output = made()
    cause = _location(output, torch.full_like(output.found, math.nan)).cause
    assert cause == "all NaN: nothing was written, or NaN was computed; everything is wrong"


def test_some_rows_were_not_written() -> None:
    """A block without iterations."""
    output = made(row_block=16)
    found = output.copy()
    found[:, :, 48:] = math.nan
    assert _location(output, found).cause.startswith("the wrong rows are NaN: not written, or NaN was computed")


@pytest.mark.parametrize(
    ("factor", "name"),
    [
        (2.0, ": doubled"),
        (0.5, ": halved"),
        (-1.0, ": the sign is wrong"),
        (math.sqrt(32), ": the scale 1/sqrt(D) is lost"),
        (1 / math.sqrt(32), ": the scale 1/sqrt(D) is applied twice"),
        (1.25, ""),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_one_factor(factor: float, name: str, dtype: str) -> None:
    """Gradients that are scaled once too often or not at all; any other factor without a name."""
    output = made(dtype=dtype)
    location = _location(output, (output.found.float() * factor).to(output.found.dtype))
    assert location.cause == f"found = {location.ratio_fit:.4g} x expected{name}; everything is wrong"
    assert location.ratio_fit == pytest.approx(factor, rel=2e-2)


def test_one_factor_in_one_head() -> None:
    """The fit goes over the wrong rows only."""
    output = made()
    found = output.copy()
    found[:, 1] *= 2.0
    expected = "found = 2 x expected: doubled; all of head 1 is wrong in every batch, the others are right"
    assert _location(output, found).cause == expected


@pytest.mark.parametrize(
    ("factor", "name"), [(1 / math.log(2), "a base-2 logarithm"), (math.log(2), "multiplied by ln 2 once too often")]
)
def test_the_base_of_a_logarithm(factor: float, name: str) -> None:
    """LSE to base 2: 1.4427 or 0.6931 times what is right."""
    lse = made_lse()
    location = _location(lse, lse.found * factor)
    assert name in location.cause
    assert location.ratio_fit == pytest.approx(factor)


def test_the_base_of_a_logarithm_of_equal_values() -> None:
    """K = 0: every LSE is ln n, and the factor is still known."""
    lse = made_lse()
    for tensor in (lse.gold, lse.same):
        tensor.fill_(math.log(300))
    assert "base-2 logarithm" in _location(lse, torch.full_like(lse.found, math.log2(300))).cause


@pytest.mark.parametrize(("shift", "words"), [(0.25, "+ 0.25"), (-math.log(2), "- 0.6931 = ln 2")])
def test_an_lse_plus_a_number(shift: float, words: str) -> None:
    """For example a block that is counted twice everywhere."""
    lse = made_lse()
    assert _location(lse, lse.found + shift).cause == f"found = expected {words}; everything is wrong"


def test_a_scale_in_fp16() -> None:
    """The published kernel's fault, recognised from its LSE."""
    _, lse = results(FAULTS["scale-fp16"].run(data("normal")[0]), "normal")
    assert lse.location is not None
    assert lse.location.cause.startswith("the error grows with the logits like that of a scale stored in FP16")
    assert lse.location.ratio_fit == pytest.approx(1.0, abs=1e-3)


MEAN_OF_V = "every wrong row of a head holds the same values, as uniform weights give: the mean of V"
DEAD_ROWS = "only rows that select nothing or lie beyond the actual length are wrong: they must be 0"
LOW = "like a lower precision: nearly every row's error is about"


@pytest.mark.parametrize(
    ("fault", "kind", "cause"),
    [
        ("mean-of-v", "uniform", MEAN_OF_V),
        ("empty-rows", "sparse", DEAD_ROWS),
        ("fp16-accumulation", "uniform", LOW),
        ("truncation", "V around 1", LOW),
        ("zeros", "uniform", "all zeros; everything is wrong"),
        ("one-percent", "uniform", "found = 1.01 x expected; all of b=1 h=3 is wrong"),
        ("one-row", "uniform", "a single row is wrong"),
        ("one-nan", "uniform", "a single element is wrong"),
    ],
)
def test_faults_of_attention(fault: str, kind: str, cause: str) -> None:
    """On real data."""
    out, _ = results(FAULTS[fault].run(data(kind)[0]), kind)
    assert out.location is not None
    assert out.location.cause.startswith(cause)


def test_rows_that_select_nothing_hold_the_mean_of_v() -> None:
    """Said once more precisely where the values are equal."""
    out, lse = results(FAULTS["empty-rows"].run(data("sparse")[0]), "sparse")
    assert out.location is not None
    assert "as the mean of V would be" in out.location.cause
    assert lse.location is not None
    assert "they must be -Inf" in lse.location.cause


def test_live_rows_of_an_lse_that_are_minus_infinity() -> None:
    """As if they selected nothing."""
    lse = made_lse()
    found = lse.copy()
    found[0, 0, 10:20] = -math.inf
    assert _location(lse, found).cause.startswith("the wrong rows are -Inf, as if they selected nothing")


def test_noise_has_no_cause() -> None:
    """Random values in random places are not explained."""
    output = made()
    found = output.copy()
    generator = torch.Generator().manual_seed(1)
    rows = torch.randperm(64, generator=generator)[:9]
    found[1, 1, rows] = torch.randn(9, 32, generator=generator).half()
    location = _location(output, found)
    assert location.cause == ""
    assert location.ratio_fit is None


def test_a_right_kernel_is_not_explained() -> None:
    """There is no location at all."""
    assert all(result.location is None for result in results(attend(data()[0], Recipe())))


def test_finite_minus_infinity_is_named() -> None:
    """True logits lie below -65504, and the masked columns won."""
    output = made_lse()
    output.gold.sub_(9.2e4)
    output.same.copy_(output.gold)
    found = torch.full_like(output.same, -65504 + math.log(212))
    assert _location(output, found).cause.startswith("the LSE is -65504 and the logarithm of a count")
    assert "-65504" not in _location(output, output.same + 1000).cause
