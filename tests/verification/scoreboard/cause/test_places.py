"""Causes that the places give away. The wrong values are noise, so that nothing else explains them."""

from __future__ import annotations

import pytest
import torch

from tests.verification.scoreboard.made import Made, made

NOISE = torch.randn(2, 3, 64, 32, generator=torch.Generator().manual_seed(5)).half()


def _cause(output: Made, where: tuple[object, ...]) -> str:
    found = output.copy()
    found[where] = NOISE[where]  # type: ignore[index]
    location = output.with_found(found).judged().location
    assert location is not None
    return location.cause


ALL = slice(None)


@pytest.mark.parametrize(
    ("where", "cause"),
    [
        ((ALL,), "everything is wrong"),
        ((1,), "all of batch 1 is wrong, the other is right"),
        ((ALL, 2), "all of head 2 is wrong in every batch, the others are right"),
        ((ALL, [0, 2]), "all of heads 0, 2 are wrong in every batch, the other is right"),
        ((1, 2), "all of b=1 h=2 is wrong"),
        ((ALL, ALL, slice(60, 64)), "only the last 4 rows are wrong"),
        ((ALL, ALL, 63), "only the last row is wrong"),
        ((ALL, ALL, slice(0, 3)), "only the first 3 rows are wrong"),
        ((ALL, ALL, slice(16, 32)), "only query block 1 is wrong"),
        ((ALL, ALL, slice(48, 64)), "only query block 3 is wrong"),
        ((0, 1, slice(7, 64, 8)), "only one row of every 8 is wrong (row % 8 = 7)"),
        ((ALL, ALL, ALL, slice(16, 32)), "only columns 16..31 of 32 are wrong"),
        ((0, 1, 20), "a single row is wrong"),
        ((0, 1, 20, 4), "a single element is wrong"),
    ],
)
def test_places(where: tuple[object, ...], cause: str) -> None:
    """Each pattern in its words."""
    assert _cause(made(row_block=16), where) == cause


def test_the_tail_block() -> None:
    """64 rows in blocks of 24 leave a tail of 16."""
    cause = _cause(made(row_block=24), (ALL, ALL, slice(48, 64)))
    assert cause == "only rows of the tail block are wrong (length 64, block 24)"


def test_the_tail_within_the_actual_length() -> None:
    """Rows beyond the length are right; the tail is that of the length, not of the tensor."""
    output = made(row_block=16)
    for tensor in (output.gold, output.same, output.found):
        tensor[0, :, 40:] = 0.0
        tensor[1, :, 56:] = 0.0
    found = output.copy()
    found[0, :, 36:40] = NOISE[0, :, 36:40]
    found[1, :, 52:56] = NOISE[1, :, 52:56]
    location = output.with_found(found).judged().location
    assert location is not None
    assert location.cause == "only rows of the tail block are wrong (length 40, 56, block 16)"


def test_rows_beyond_the_actual_length() -> None:
    """What lies beyond must be zero."""
    output = made()
    for tensor in (output.gold, output.same, output.found):
        tensor[0, :, 40:] = 0.0
    found = output.copy()
    found[0, :, 40:] = NOISE[0, :, 40:]
    location = output.with_found(found).judged().location
    assert location is not None
    assert location.cause.startswith("only rows that select nothing or lie beyond the actual length are wrong")


def test_heads_of_packed_tokens() -> None:
    """Without batches a head is a head."""
    output = made(shape=(64, 3, 32), dims=("t", "h", "d"))
    found = output.copy()
    found[:, 1] = NOISE[0, 1]
    location = output.with_found(found).judged().location
    assert location is not None
    assert location.cause == "all of head 1 is wrong, the others are right"
