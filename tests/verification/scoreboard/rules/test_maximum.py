"""Rule 2: max|a-g| <= k max|pt-g| + half an ulp of max|g|."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.verification.scoreboard.made import Made, broken, check, made

ULP = 2.0**-10
"""Of FP16 between 1 and 2."""


def _flat(k: float = 2.0) -> Made:
    """Gold is 1.5 everywhere; the same-precision reference is off by one ulp in one place."""
    output = made(shape=(1, 1, 64, 32))
    gold = torch.full((1, 1, 64, 32), 1.5, dtype=torch.float64)
    same = gold.half()
    same[0, 0, 0, 0] += ULP
    return replace(output, spec=replace(output.spec, k=k), gold=gold, same=same, found=gold.half())


@pytest.mark.parametrize(("k", "ulps", "passes"), [(2.0, 2, True), (2.0, 3, False), (3.0, 3, True), (3.0, 4, False)])
def test_the_limit_is_k_times_the_reference_and_half_an_ulp(k: float, ulps: int, passes: bool) -> None:
    """With an error of one ulp in pt, k ulps pass and k + 1 do not."""
    output = _flat(k)
    found = output.copy()
    found[0, 0, 5, 7] += ulps * ULP
    result = output.with_found(found).judged()
    rule = check(result, "maximum")
    assert rule.limit == (k + 0.5) * ULP
    assert rule.value == ulps * ULP
    assert rule.passed is passes
    assert rule.ratio == rule.value / rule.limit


def test_the_detail_says_where() -> None:
    """The worst row is named."""
    output = _flat()
    found = output.copy()
    found[0, 0, 5, 7] += 0.25
    result = output.with_found(found).judged()
    assert "maximum" in broken(result)
    assert check(result, "maximum").detail == "|a-g| = 0.25 at b=0 h=0 row 5, allowed 0.00244"


def test_a_right_output_has_no_detail() -> None:
    """Details are for failures."""
    assert all(one.detail == "" for one in _flat().judged().checks)
