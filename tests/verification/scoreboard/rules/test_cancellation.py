"""Answers that are zero by definition, and answers that are zero by cancellation."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.verification.scoreboard.made import Made, broken, made
from verification.scoreboard import ReferenceFault


def _cancelled(noise: float = 0.0) -> Made:
    """DQ of single keys: zero in gold and in pt, in every row, but by no definition."""
    output = made(shape=(1, 1, 4, 32))
    zero = torch.zeros(1, 1, 4, 32)
    rows = torch.zeros(1, 1, 4, dtype=torch.bool)
    return replace(output, gold=zero.double(), same=zero.half(), found=zero.half(), zeros=rows, noise=noise)


def test_a_rounding_error_of_a_cancelled_answer_passes() -> None:
    """FP32 leaves something where two sums cancel."""
    output = _cancelled()
    assert output.with_found(output.found + 2.0**-17).judged().passed


def test_more_than_that_fails() -> None:
    """Four times e is no rounding error."""
    output = _cancelled()
    assert {"maximum", "row"} <= broken(output.with_found(output.found + 2.0**-14).judged())


def test_the_reference_may_know_of_a_larger_one() -> None:
    """Its noise takes the place of e in every rule."""
    output = _cancelled(noise=2.0**-13)
    assert output.with_found(output.found + 2.0**-14).judged().passed
    assert not output.with_found(output.found + 2.0**-11).judged().passed


def test_rows_that_are_zero_by_definition_admit_nothing() -> None:
    """Only the marked row is judged so."""
    output = _cancelled()
    assert output.zeros is not None
    output.zeros[0, 0, 2] = True
    found = output.found + 2.0**-17
    assert broken(output.with_found(found).judged()) == {"structure"}
    found[0, 0, 2] = 0.0
    assert output.with_found(found).judged().passed


@pytest.mark.parametrize(
    "rows", [torch.zeros(1, 1, 5, dtype=torch.bool), torch.zeros(1, 1, 4), torch.zeros(1, 1, 4, 32, dtype=torch.bool)]
)
def test_one_flag_a_row(rows: torch.Tensor) -> None:
    """Other shapes and dtypes are a fault of the reference."""
    with pytest.raises(ReferenceFault, match="one flag a row"):
        replace(_cancelled(), zeros=rows).judged()


def test_gold_must_agree() -> None:
    """A row that is marked and not zero in gold is a fault of the reference."""
    output = replace(made(), zeros=torch.ones(2, 3, 64, dtype=torch.bool))
    with pytest.raises(ReferenceFault, match="gold is not zero"):
        output.judged()


def test_flags_follow_the_layout() -> None:
    """In TND they are tokens by heads."""
    output = made(shape=(8, 3, 32), dims=("t", "h", "d"))
    rows = torch.zeros(8, 3, dtype=torch.bool)
    rows[5, 1] = True
    for tensor in (output.gold, output.same, output.found):
        tensor[5, 1] = 0.0
    output = replace(output, zeros=rows)
    assert output.judged().passed
    found = output.copy()
    found[5, 1, 0] = 2.0**-24
    assert broken(output.with_found(found).judged()) == {"structure"}
