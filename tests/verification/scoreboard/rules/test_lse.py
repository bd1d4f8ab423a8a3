"""The LSE rule: |a-g| <= 2 max|pt-g| + 4 ulps of float32."""

from __future__ import annotations

import pytest

from tests.verification.scoreboard.made import broken, check, made_lse

ULP = 2.0**-21
"""Of float32 between 4 and 8."""


@pytest.mark.parametrize(("ulps", "passes"), [(3, True), (6, False)])
def test_four_ulps_and_twice_the_reference(ulps: int, passes: bool) -> None:
    """Pt is off by half an ulp at most, so that five ulps are the limit."""
    lse = made_lse()
    found = lse.copy()
    found[0, 1, 5] += ulps * ULP
    result = lse.with_found(found).judged()
    assert result.passed is passes
    assert 4 * ULP < check(result, "lse").limit <= 5 * ULP


def test_large_values_have_larger_ulps() -> None:
    """The limit is that of the element."""
    lse = made_lse()
    lse.gold[0, 0, 0] = lse.same[0, 0, 0] = -92000.0
    found = lse.copy()
    found[0, 0, 0] = -92000.0 + 4 * 2.0**-7
    assert lse.with_found(found).judged().passed
    found[0, 0, 1] += 4 * 2.0**-7
    result = lse.with_found(found).judged()
    assert broken(result) == {"lse"}
    assert "b=0 h=0 row 1" in check(result, "lse").detail


def test_only_structure_and_its_own_rule_judge_it() -> None:
    """The rules of tensors do not apply."""
    assert [one.rule for one in made_lse().judged().checks] == ["structure", "lse"]
