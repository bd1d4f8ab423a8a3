"""Rule 3: every row against the error that pt makes in that row."""

from __future__ import annotations

import pytest

from tests.verification.scoreboard.made import Made, broken, check, made

FLOOR = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
SMALL = {"float16": 2.0**-11, "bfloat16": 2.0**-8}


def _with_a_loud_row(dtype: str, size: float) -> Made:
    """One row with an element of 1000, so that rule 2 allows much, and one row of a given size."""
    output = made(dtype=dtype)
    for tensor in (output.gold, output.same, output.found):
        tensor[0, 0, 0] = 1000.0
        tensor[0, 0, 7] = size
    output.same[0, 0, 0] = 1008.0
    return output


@pytest.mark.parametrize("dtype", FLOOR)
def test_a_row_may_be_off_by_the_floor(dtype: str) -> None:
    """Where pt is exact, a relative error of 2^-10 (FP16) or 2^-7 (BF16) is the limit."""
    output = _with_a_loud_row(dtype, 0.5)
    found = output.copy()
    found[0, 0, 7, :31] += 0.5 * FLOOR[dtype]
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7, :31] += 0.5 * FLOOR[dtype]
    assert "row" in broken(output.with_found(found).judged())


def test_a_wrong_row_that_rule_2_allows_is_noticed() -> None:
    """A row of ordinary size is replaced while another one makes the absolute limit large."""
    output = _with_a_loud_row("float16", 0.25)
    found = output.copy()
    found[1, 2, 5] = found[1, 2, 6]
    result = output.with_found(found).judged()
    assert check(result, "maximum").passed
    assert "row" in broken(result)
    assert "b=1 h=2 row 5" in check(result, "row").detail


def test_the_error_of_pt_in_that_row_is_allowed_k_times() -> None:
    """What pt cannot do better, the kernel need not."""
    output = _with_a_loud_row("float16", 0.25)
    output.same[0, 0, 7] = 0.25 * 1.01
    found = output.copy()
    found[0, 0, 7] = 0.25 * 1.02
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7] = 0.25 * 1.03
    assert "row" in broken(output.with_found(found).judged())


@pytest.mark.parametrize("dtype", FLOOR)
def test_a_row_of_tiny_values_has_an_absolute_floor(dtype: str) -> None:
    """Below sqrt(D) t the limit is that of a row whose norm is sqrt(D) t."""
    tiny = 0.01 * SMALL[dtype]
    output = _with_a_loud_row(dtype, tiny)
    found = output.copy()
    found[0, 0, 7] = tiny + 0.9 * FLOOR[dtype] * SMALL[dtype]
    assert "row" not in broken(output.with_found(found).judged())
    found[0, 0, 7] = tiny + 1.2 * FLOOR[dtype] * SMALL[dtype]
    assert "row" in broken(output.with_found(found).judged())
