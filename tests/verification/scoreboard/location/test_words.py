"""Places of a failure in the words of the kernel's author."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.verification.scoreboard.made import Made, made, made_lse
from verification.record import Location
from verification.scoreboard.words import ranges


def _location(output: Made, found: torch.Tensor) -> Location:
    location = output.with_found(found).judged().location
    assert location is not None
    return location


def test_a_passing_output_has_no_location() -> None:
    """Nothing to find."""
    assert made().judged().location is None


def test_one_range_of_rows() -> None:
    """Batch, head, block, rows and count."""
    output = made(row_block=32)
    found = output.copy()
    found[0, 2, 44:64] += 1.0
    location = _location(output, found)
    assert location.text == "b=0 h=2 query block 1 rows 44..63 (640 of 12288 elements)"
    assert (location.count, location.total) == (640, 12288)


def test_several_heads_with_the_same_rows() -> None:
    """A product of batches and heads is told as one."""
    output = made(row_block=16)
    found = output.copy()
    found[:, 0::2, 8:24] += 1.0
    assert _location(output, found).text == "b=0..1 h=0, 2 query blocks 0..1 rows 8..23 (2048 of 12288 elements)"


def test_an_irregular_set_of_heads() -> None:
    """How many, and the first."""
    output = made()
    found = output.copy()
    found[0, 1, 3] += 1.0
    found[1, 2, 3] += 1.0
    assert _location(output, found).text == "2 of 6 (b, h), the first b=0 h=1, row 3 (64 of 12288 elements)"


def test_all_rows() -> None:
    """The number of rows in place of a list."""
    output = made()
    assert _location(output, output.found + 1.0).text == "b=0..1 h=0..2 all 64 rows (12288 of 12288 elements)"


def test_packed_tokens() -> None:
    """In TND blocks do not start at multiples of the block, so none is named."""
    output = made(shape=(50, 3, 32), dims=("t", "h", "d"), row_block=16)
    found = output.copy()
    found[7, 1] += 1.0
    assert _location(output, found).text == "h=1 token 7 (32 of 4800 elements)"


def test_key_value_rows() -> None:
    """Rows of dK and dV are in KV blocks."""
    output = replace(made(dims=("b", "h", "kv_row", "d")), row_block=16, kv_block=32)
    found = output.copy()
    found[1, 1, 40] += 1.0
    assert _location(output, found).text == "b=1 h=1 KV block 1 row 40 (32 of 12288 elements)"


def test_lse() -> None:
    """One element a row."""
    lse = made_lse(row_block=32)
    found = lse.copy()
    found[1, 0, 33:35] += 0.1
    assert _location(lse, found).text == "b=1 h=0 query block 1 rows 33..34 (2 of 384 elements)"


def test_an_output_without_rows() -> None:
    """One vector for each head."""
    output = made(shape=(2, 3, 32), dims=("b", "h", "d"))
    found = output.copy()
    found[1, 1] += 1.0
    assert _location(output, found).text == "b=1 h=1 (32 of 192 elements)"


def test_a_gate_without_rows_of_its_own() -> None:
    """Where only another standard fails, no row is to blame."""
    output = made(dtype="bfloat16", scale=3.0)
    location = output.judged(gates=("flashinfer",)).location
    assert location is not None
    assert location.text == "spread over the output (0 of 12288 elements)"


@pytest.mark.parametrize(
    ("numbers", "words"),
    [([3], "3"), ([1, 2, 3, 7], "1..3, 7"), ([5, 1, 5], "1, 5"), ([0, 2, 4, 6, 8, 9], "0, 2, 4, 6, and 2 more")],
)
def test_ranges(numbers: list[int], words: str) -> None:
    """At most four ranges."""
    assert ranges(numbers) == words


def test_the_worst_elements_come_first() -> None:
    """With their index, what was found and what is right; NaN before numbers."""
    output = made()
    found = output.copy()
    found[1, 2, 7, 3] = 50.0
    found[0, 1, 9, 4] = 20.0
    found[0, 0, 5, 5] = float("nan")
    worst = _location(output, found).worst
    assert [one.index for one in worst] == [(0, 0, 5, 5), (1, 2, 7, 3), (0, 1, 9, 4)]
    assert worst[1].found == 50.0
    assert worst[1].expected == float(output.gold[1, 2, 7, 3])
    assert worst[1].error == abs(50.0 - worst[1].expected)


def test_eight_of_the_worst_are_enough() -> None:
    """However many there are."""
    output = made()
    assert len(_location(output, output.found + 1.0).worst) == 8


def test_the_worst_of_an_exact_answer() -> None:
    """Any difference counts."""
    output = made(exact=True)
    found = output.copy()
    found[1, 1, 1, 1] += 0.125
    (worst,) = _location(output, found).worst
    assert (worst.index, worst.error) == ((1, 1, 1, 1), 0.125)


def test_a_head_that_is_only_less_accurate_is_found() -> None:
    """Rows above the average that the head rule allows are named."""
    output = made(shape=(1, 2, 128, 64))
    error = output.found.double() - output.gold
    found = output.found.clone()
    found[0, 1] = (output.gold + 1.9 * error)[0, 1].half()
    location = _location(replace(output), found)
    assert location.text.startswith("b=0 h=1 ")
    assert 0 < location.count < 64 * 128
