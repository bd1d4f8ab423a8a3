"""The judge judged: wrong kernels must fail. Real attention, B2 Hq4 Hkv2 S512 D128, FP16."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from tests.verification.scoreboard.attention_data import data, results, verdict
from verification.record import OutputResult
from verification.scoreboard.selftest import FAULTS, Recipe, attend

SHOWS_ELSEWHERE = {"padded-keys": "lengths", "stale-mask": "sparse", "empty-rows": "sparse"}
"""Faults that change nothing on uniform inputs, with inputs where they do."""
BLIND_SPOT = "truncation"
"""Cutting off instead of rounding: on some inputs only. ``docs/criterion.md`` says so."""


@cache
def _judged(fault: str) -> tuple[OutputResult, ...]:
    kind = SHOWS_ELSEWHERE.get(fault, "uniform")
    return results(FAULTS[fault].run(data(kind)[0]), kind)


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != BLIND_SPOT])
def test_a_wrong_kernel_fails(fault: str) -> None:
    """Every fault of the list but one is noticed on plain inputs."""
    assert not all(result.passed for result in _judged(fault))


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != BLIND_SPOT])
def test_the_failure_is_located(fault: str) -> None:
    """Each failing output says where, and shows a heat-map of at most 64 by 64."""
    for result in _judged(fault):
        if result.passed:
            continue
        assert result.location is not None
        assert result.location.count > 0
        assert result.location.worst
        assert 0 < len(result.location.heatmap) <= 64
        assert max(max(line) for line in result.location.heatmap) > 1.0


def test_truncation_is_noticed_where_rounding_dominates() -> None:
    """With V around 1 the rounding of the result is the whole error."""
    assert not verdict(FAULTS[BLIND_SPOT].run(data("V around 1")[0]), "V around 1")


def test_every_head_right_but_one_row_wrong() -> None:
    """The last row of the tail of one head."""
    outputs = attend(data("tail")[0], Recipe())
    outputs["out"][1, 3, 295] = outputs["out"][1, 3, 294]
    assert not verdict(outputs, "tail")


def test_the_reference_rounded_passes() -> None:
    """Gold itself, rounded, is right: the judge does not fail everything."""
    _, right = data()
    assert verdict({"out": right.gold["out"].half(), "lse": right.gold["lse"].float()})


@pytest.mark.parametrize("which", ["out", "lse"])
def test_an_unwritten_output_fails(which: str) -> None:
    """Outputs are allocated as NaN."""
    outputs = attend(data()[0], Recipe())
    outputs[which].fill_(torch.nan)
    assert not verdict(outputs)
