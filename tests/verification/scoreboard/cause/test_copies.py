"""Causes that show as the right answer of another place."""

from __future__ import annotations

import pytest
import torch

from tests.verification.scoreboard.attention_data import data, results
from tests.verification.scoreboard.made import Made, made, made_lse
from verification.scoreboard.selftest import FAULTS


def _cause(output: Made, found: torch.Tensor) -> str:
    location = output.with_found(found).judged().location
    assert location is not None
    return location.cause


@pytest.mark.parametrize("make", [made, made_lse])
def test_rows_of_another_head(make: object) -> None:
    """Head 2 of batch 1 holds head 0's rows."""
    output = make()  # type: ignore[operator]
    found = output.copy()
    found[1, 2] = found[1, 0]
    assert _cause(output, found).startswith("b=1 h=2 holds the rows of b=1 h=0; ")


def test_rows_of_another_batch() -> None:
    """Right in batch 0 only, because batch 0 was computed twice."""
    output = made()
    found = output.copy()
    found[1] = found[0]
    cause = _cause(output, found)
    assert cause.startswith("b=1 h=0 holds the rows of b=0 h=0; b=1 h=1 holds the rows of b=0 h=1; ")
    assert cause.endswith("all of batch 1 is wrong, the other is right")


def test_rows_of_another_block() -> None:
    """Block 2 holds block 1's rows."""
    output = made(row_block=16)
    found = output.copy()
    found[0, 1, 32:48] = found[0, 1, 16:32]
    assert _cause(output, found) == "the wrong rows hold those 1 block before; only query block 2 is wrong"


def test_shifted_rows() -> None:
    """Each row holds the one after it."""
    output = made()
    found = output.copy()
    found[0, 1, :-1] = output.found[0, 1, 1:]
    assert _cause(output, found).startswith("the wrong rows hold those 1 after them")


def test_permuted_rows() -> None:
    """Rows in another order."""
    output = made()
    found = output.copy()
    found[0, 1] = output.found[0, 1].flip(0)
    assert _cause(output, found).startswith("the wrong rows hold other rows of the same head")


def test_one_row_everywhere() -> None:
    """Every row of a head is the same, though gold's are not."""
    output = made()
    found = output.copy()
    found[:, 1] = found[:, 1, :1]
    assert _cause(output, found).startswith("every wrong row of a head holds the same values")


@pytest.mark.parametrize("fault", ["other-head", "first-batch"])
def test_faults_of_attention(fault: str) -> None:
    """On real data, for O and for LSE."""
    for result in results(FAULTS[fault].run(data()[0])):
        assert result.location is not None
        assert "holds the rows of b=0 h=" in result.location.cause
