"""Rule 1: NaN and Inf where gold has them, zeros where the semantics define them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.verification.scoreboard.made import Made, broken, check, made, made_lse


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_one_value_that_is_no_number_fails(value: float) -> None:
    """One in 12288 elements, found and told where."""
    output = made()
    found = output.copy()
    found[1, 2, 17, 5] = value
    result = output.with_found(found).judged()
    assert broken(result) == {"structure"}
    assert check(result, "structure").value == 1.0
    assert "[1, 2, 17, 5] (b=1 h=2 row 17)" in check(result, "structure").detail


def _with_empty_row(output: Made) -> Made:
    for tensor in (output.gold, output.same, output.found):
        tensor[0, 1, 3] = 0.0
    return output


def test_a_row_without_an_answer_must_be_exactly_zero() -> None:
    """The smallest number of FP16 in such a row is a failure; minus zero is not."""
    output = _with_empty_row(made())
    found = output.copy()
    found[0, 1, 3, 0] = -0.0
    assert output.with_found(found).judged().passed
    found[0, 1, 3, 1] = 2.0**-24
    result = output.with_found(found).judged()
    assert "structure" in broken(result)
    assert "where exactly 0 is right" in check(result, "structure").detail


def test_a_zero_by_chance_is_no_zero_of_the_semantics() -> None:
    """Where only gold is zero (a sum that cancels), a rounding error is allowed."""
    output = made()
    output.gold[0, 1, 3] = 0.0
    output.same[0, 1, 3] = 2.0**-20
    found = output.copy()
    found[0, 1, 3] = 2.0**-20
    assert output.with_found(found).judged().passed


@pytest.mark.parametrize(("gold", "found"), [(-math.inf, 6.0), (6.0, -math.inf), (6.0, math.nan)])
def test_minus_infinity_of_an_lse_is_where_gold_has_it(gold: float, found: float) -> None:
    """A row that selects nothing, and only such a row, is -Inf."""
    lse = made_lse()
    for tensor in (lse.gold, lse.same):
        tensor[0, 0, 9] = gold
    wrong = lse.copy()
    wrong[0, 0, 9] = found
    result = lse.with_found(wrong).judged()
    assert broken(result) == {"structure"}


def test_a_zero_lse_is_a_number() -> None:
    """LSE = ln 1 = 0 may carry a rounding error."""
    lse = made_lse()
    for tensor in (lse.gold, lse.same):
        tensor[0, 0, 9] = 0.0
    lse.gold[0, 0, 10] += 1e-6
    found = lse.copy()
    found[0, 0, 9] = 1e-7
    assert lse.with_found(found).judged().passed


def test_a_broken_structure_fails_every_standard_beside() -> None:
    """No tolerance makes NaN a number."""
    output = made()
    found = output.copy()
    found[0, 0, 0, 0] = math.nan
    result = output.with_found(found).judged()
    assert not any(standard.passed for standard in result.standards)


def test_the_error_of_the_numbers_is_still_measured() -> None:
    """The other rules go over what is finite in both."""
    output = replace(made())
    found = output.copy()
    found[0, 0, 0, 0] = math.nan
    result = output.with_found(found).judged()
    assert math.isfinite(result.max_error)
    assert result.max_error > 0.0
