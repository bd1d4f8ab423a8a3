"""What holds for every output."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verification.scoreboard.made import broken, check, made

SHAPES = st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(1, 20), st.sampled_from((1, 4, 16)))
DTYPES = st.sampled_from(("float16", "bfloat16", "float32"))
FEW = settings(deadline=None, max_examples=40)


@FEW
@given(shape=SHAPES, dtype=DTYPES, seed=st.integers(0, 99))
def test_gold_rounded_always_passes(shape: tuple[int, ...], dtype: str, seed: int) -> None:
    """The best that any kernel can do is never a failure, even where the reference was lucky."""
    output = made(shape=shape, dtype=dtype, seed=seed)
    best = output.gold.to(getattr(torch, dtype))
    assert replace(output, same=best, found=best).judged().passed


@FEW
@given(shape=SHAPES, seed=st.integers(0, 99), bad=st.sampled_from((torch.nan, torch.inf, -torch.inf)), data=st.data())
def test_one_place_without_a_number_always_fails(
    shape: tuple[int, ...], seed: int, bad: float, data: st.DataObject
) -> None:
    """Wherever it is, and the location finds it."""
    output = made(shape=shape, seed=seed)
    index = tuple(data.draw(st.integers(0, size - 1)) for size in shape)
    found = output.copy()
    found[index] = bad
    result = output.with_found(found).judged()
    assert broken(result) == {"structure"}
    assert result.location is not None
    assert result.location.worst[0].index == index


@FEW
@given(shape=SHAPES, seed=st.integers(0, 99), factor=st.floats(1.5, 100.0))
def test_a_larger_error_never_helps(shape: tuple[int, ...], seed: int, factor: float) -> None:
    """Every ratio grows with the error."""
    output = made(shape=shape, dtype="float32", seed=seed)
    error = output.found.double() - output.gold
    small = output.with_found((output.gold + 10 * error).float()).judged()
    large = output.with_found((output.gold + 10 * factor * error).float()).judged()
    for rule in ("maximum", "row", "head"):
        assert check(large, rule).ratio >= 0.99 * check(small, rule).ratio


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_order_of_heads_and_rows_does_not_matter(axis: int) -> None:
    """Everything turned round together gives the same numbers."""
    output = made()
    turned = replace(output, **{name: getattr(output, name).flip(axis) for name in ("gold", "same", "found")})
    for one, other in zip(output.judged().checks, turned.judged().checks, strict=True):
        assert other.value == pytest.approx(one.value)
        assert other.limit == pytest.approx(one.limit)


def test_the_layout_does_not_matter() -> None:
    """The same rows packed as TND are judged alike, head by head."""
    output = made(shape=(1, 3, 64, 32))
    packed = replace(
        output,
        spec=replace(output.spec, dims=("t", "h", "d")),
        **{name: getattr(output, name)[0].transpose(0, 1) for name in ("gold", "same", "found")},
    )
    assert [one.ratio for one in packed.judged().checks] == [one.ratio for one in output.judged().checks]
