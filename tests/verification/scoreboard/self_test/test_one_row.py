"""One wrong row in a hundred thousand is noticed."""

from __future__ import annotations

import pytest
import torch

from verification.scoreboard import judge
from verification.scoreboard.selftest import OUTPUTS, Recipe, attend, references
from verification.scoreboard.selftest.inputs import problem

ROWS = 102400


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_one_row_of_many(dtype: torch.dtype) -> None:
    """The row holds its neighbour's values; the text names it alone."""
    inputs = problem(3, dtype=dtype, batch=2, heads=(32, 4), rows=(1600, 64), width=16)
    right = references(inputs)
    outputs = attend(inputs, Recipe(tile=32))
    assert outputs["lse"].numel() == ROWS
    assert all(result.passed for result in judge(outputs, right, OUTPUTS, dtype=inputs.dtype))
    outputs["out"][1, 20, 1000] = outputs["out"][1, 20, 1001]
    out, lse = judge(outputs, right, OUTPUTS, dtype=inputs.dtype)
    assert lse.passed
    assert not out.passed
    assert out.location is not None
    assert out.location.text.startswith("b=1 h=20 query block 7 row 1000 (")
    assert out.location.cause == "a single row is wrong"
