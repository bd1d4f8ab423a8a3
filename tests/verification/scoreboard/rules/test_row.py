"""Rule 3: every row against the error that pt makes in that row, or in a row of that head on average."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.verification.scoreboard.made import Made, broken, check, made

FLOOR = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
LEAST = 2.0**-16
"""e: the error of an element that is always allowed a row."""


def _quiet(dtype: str, size: float) -> Made:
    """A reference without any error, and one row whose elements are all ``size``."""
    output = replace(made(dtype=dtype, exact=True), exact=False)
    for tensor in (output.gold, output.same, output.found):
        tensor[0, 0, 7] = size
    return output


@pytest.mark.parametrize("dtype", FLOOR)
def test_a_row_may_be_off_by_the_floor(dtype: str) -> None:
    """Where pt is exact, a relative error of 2^-10 (FP16) or 2^-7 (BF16) is the limit."""
    output = _quiet(dtype, 0.5)
    found = output.copy()
    found[0, 0, 7, :31] += 0.5 * FLOOR[dtype]
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7, :31] += 0.5 * FLOOR[dtype]
    assert "row" in broken(output.with_found(found).judged())


def test_a_wrong_row_that_rule_2_allows_is_noticed() -> None:
    """A row is replaced by its neighbour while one of another head makes the absolute limit large."""
    output = made()
    for tensor in (output.gold, output.same, output.found):
        tensor[0, 0, 0] = 1000.0
    output.same[0, 0, 0] = 1008.0
    found = output.copy()
    found[1, 2, 5] = found[1, 2, 6]
    result = output.with_found(found).judged()
    assert check(result, "maximum").passed
    assert "row" in broken(result)
    assert "b=1 h=2 row 5" in check(result, "row").detail


def test_the_error_of_pt_in_that_row_is_allowed_k_times() -> None:
    """What pt cannot do better, the kernel need not."""
    output = _quiet("float16", 0.25)
    output.same[0, 0, 7] = 0.25 * 1.01
    found = output.copy()
    found[0, 0, 7] = 0.25 * 1.02
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7] = 0.25 * 1.03
    assert "row" in broken(output.with_found(found).judged())


def test_a_row_in_which_pt_was_lucky_has_the_usual_error() -> None:
    """Every other row of the head is off by 1 % in pt, this one by nothing."""
    output = _quiet("float16", 0.25)
    for tensor in (output.gold, output.same, output.found):
        tensor[0, 0] = 0.25
    output.same[0, 0] = 0.25 * 1.01
    output.same[0, 0, 7] = 0.25
    found = output.copy()
    found[0, 0, 7] = 0.25 * 1.018
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7] = 0.25 * 1.03
    assert "row" in broken(output.with_found(found).judged())


@pytest.mark.parametrize("dtype", FLOOR)
def test_a_row_of_tiny_values_has_an_absolute_floor(dtype: str) -> None:
    """An error of e in every element is allowed."""
    output = _quiet(dtype, 2.0**-14)
    found = output.copy()
    found[0, 0, 7] = 2.0**-14 + 0.875 * LEAST
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7] = 2.0**-14 + 2.0 * LEAST
    assert "row" in broken(output.with_found(found).judged())
