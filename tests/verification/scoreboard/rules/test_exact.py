"""Regime ``exact``: no rounding, no tolerance."""

from __future__ import annotations

import pytest

from tests.verification.scoreboard.made import broken, check, made


def test_the_exact_answer_passes() -> None:
    """Gold itself."""
    assert made(exact=True).judged().passed


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_one_ulp_in_one_place_fails(dtype: str) -> None:
    """The smallest error there is."""
    output = made(exact=True, dtype=dtype)
    found = output.copy()
    found[1, 2, 3, 4] = found[1, 2, 3, 4].nextafter(found.new_tensor(100.0)) if dtype != "bfloat16" else 99.0
    result = output.with_found(found).judged()
    assert broken(result) == {"exact"}
    assert "b=1 h=2 row 3" in check(result, "exact").detail


def test_gold_is_rounded_to_the_dtype_first() -> None:
    """An oracle's last bit of float64 is no error of the kernel."""
    output = made(exact=True)
    output.gold.mul_(1.0 + 2.0**-50)
    assert output.judged().passed


def test_an_exact_zero_is_a_zero() -> None:
    """A zero in gold admits nothing else."""
    output = made(exact=True)
    output.gold[0, 0, 0, 0] = 0.0
    found = output.copy()
    found[0, 0, 0, 0] = 2.0**-24
    assert broken(output.with_found(found).judged()) == {"exact"}
