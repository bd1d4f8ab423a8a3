"""Rule 5: over a whole head the error hardly varies, so its limit is closer."""

from __future__ import annotations

import pytest
import torch

from tests.verification.scoreboard.made import Made, broken, check, made


def _noisy(size: float, *, heads: tuple[int, ...]) -> Made:
    """Some heads with rounding errors ``size`` times as large as the reference's."""
    output = made(shape=(2, 3, 128, 64))
    found = output.found.double()
    error = found - output.gold
    for head in heads:
        found[1, head] = output.gold[1, head] + size * error[1, head]
    return output.with_found(found.half())


def test_the_usual_error_passes() -> None:
    """A right output has a ratio well below one."""
    assert check(_noisy(1.0, heads=()).judged(), "head").ratio < 0.75


def test_one_head_with_twice_the_error_is_noticed_by_this_rule_alone() -> None:
    """Neither the largest error nor any row gives it away."""
    result = _noisy(1.9, heads=(2,)).judged()
    assert broken(result) == {"head"}
    assert "over b=1 h=2" in check(result, "head").detail
    assert "1 of 6 heads" in check(result, "head").detail


def test_its_rows_are_located() -> None:
    """The location names the head."""
    location = _noisy(1.9, heads=(2,)).judged().location
    assert location is not None
    assert location.text.startswith("b=1 h=2 ")


def test_a_smaller_error_than_the_reference_is_welcome() -> None:
    """An output in which nothing was rounded but the result."""
    output = made()
    assert output.with_found(output.gold.half()).judged().passed


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gradients_have_more_room(dtype: str) -> None:
    """With k = 3 the factor is 2.25 in place of 1.5."""
    output = made(dtype=dtype)
    kind = getattr(torch, dtype)
    doubled = (output.gold + 1.9 * (output.found.double() - output.gold)).to(kind)
    spec = output.spec
    assert "head" in broken(output.with_found(doubled).judged())
    wider = Made(
        spec=type(spec)(name=spec.name, dtype=dtype, dims=spec.dims, k=3.0),
        gold=output.gold,
        same=output.same,
        found=doubled,
    )
    assert "head" not in broken(wider.judged())


def _one_loud_row(size: float) -> Made:
    """A head whose first row outweighs all others, there with ``size`` times the reference's error."""
    output = made(shape=(1, 1, 128, 64))
    gold, same = output.gold.clone(), output.same.double().clone()
    error = same[0, 0, 0] - gold[0, 0, 0]
    gold[0, 0, 0] *= 64.0
    same[0, 0, 0] = gold[0, 0, 0] + 4096.0 * error
    found = same.clone()
    found[0, 0, 0] = gold[0, 0, 0] + size * 4096.0 * error
    return Made(spec=output.spec, gold=gold, same=same.half(), found=found.half())


def test_the_error_of_one_loud_row_is_as_random_as_a_row() -> None:
    """What the row may have, its head may have; more, neither."""
    assert _one_loud_row(1.9).judged().passed
    assert {"row", "head"} <= broken(_one_loud_row(3.9).judged())
