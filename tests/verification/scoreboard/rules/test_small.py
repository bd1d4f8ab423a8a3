"""Rule 4: among small elements few may be off by more than e."""

from __future__ import annotations

import pytest

from tests.verification.scoreboard.made import Made, broken, check, made
from verification.scoreboard.small import SLACK, small_allowance

SMALL = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-14}
ERROR = {"float16": 2.0**-16, "bfloat16": 2.0**-15, "float32": 2.0**-30}
"""What counts: e, but two ulps just below t, which is twice e in BF16."""


def _small(dtype: str, *, wrong: int, wrong_same: int = 0, error: float) -> Made:
    """Half of each row's elements are small."""
    output = made(dtype=dtype)
    for tensor in (output.gold, output.same, output.found):
        tensor[..., ::2] = 0.9 * SMALL[dtype]
        tensor[0, 0, 0, 1] = 1000.0
    output.gold[..., ::2] = output.same[..., ::2].double()
    output.same[0, 0, 0, 1] = 1008.0
    found = output.copy()
    found[1, :, :, 0].view(-1)[:wrong] += error
    output.same[1, :, :, 2].view(-1)[:wrong_same] += error
    return output.with_found(found)


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("wrong_same", [0, 10])
def test_the_count_is_limited(dtype: str, wrong_same: int) -> None:
    """Twice the reference's count and a few more pass, one more does not."""
    limit = 2 * wrong_same + SLACK
    for wrong, passes in ((limit, True), (limit + 1, False)):
        rule = check(_small(dtype, wrong=wrong, wrong_same=wrong_same, error=4 * ERROR[dtype]).judged(), "small")
        assert (rule.value, rule.limit, rule.passed) == (wrong, limit, passes)


@pytest.mark.parametrize("dtype", SMALL)
def test_small_errors_do_not_count(dtype: str) -> None:
    """An error of e is none."""
    result = _small(dtype, wrong=100, error=ERROR[dtype] / 2).judged()
    assert check(result, "small").value == 0.0


def test_the_detail_says_where_most_are() -> None:
    """The row with most of them is named; two of the normal values are small by chance."""
    result = _small("float16", wrong=30, error=1e-3).judged()
    assert "small" in broken(result)
    assert "30 of 6146 small elements" in check(result, "small").detail


def test_the_allowance_covers_chance() -> None:
    """Two right kernels with the same expected count must not differ by more than the allowance allows."""
    assert small_allowance(0) == SLACK
    assert small_allowance(1000) == 2000 + SLACK
