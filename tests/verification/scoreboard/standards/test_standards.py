"""Each standard against its formula, written out again on whole arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.verification.scoreboard.made import Made, made, made_lse
from verification.record import OutputResult
from verification.scoreboard.standards import NAMES

SMALL = {"float16": (2.0**-11, 2.0**-16), "bfloat16": (2.0**-8, 2.0**-16), "float32": (2.0**-14, 2.0**-30)}


def _output(dtype: str) -> Made:
    """Normal values, some of them small, with errors three times the reference's."""
    output = made(dtype=dtype, shape=(2, 3, 40, 32), scale=0.1)
    found = output.gold + 3.0 * (output.found.double() - output.gold)
    return output.with_found(found.to(getattr(torch, dtype)))


def _ratio(result: OutputResult, name: str) -> float:
    return next(one.ratio for one in result.standards if one.name == name)


def _arrays(output: Made) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gold, same, found = (one.double().numpy() for one in (output.gold, output.same, output.found))
    return gold, np.abs(same - gold), np.abs(found - gold)


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize(("name", "tolerance"), [("pypto-article", 3e-3), ("tilelang", 1e-2), ("flashinfer", 1e-3)])
def test_tolerances(dtype: str, name: str, tolerance: float) -> None:
    """|a-g| <= tolerance + tolerance |g|."""
    output = _output(dtype)
    gold, _, error = _arrays(output)
    assert _ratio(output.judged(), name) == pytest.approx((error / (tolerance * (1 + np.abs(gold)))).max())


@pytest.mark.parametrize("dtype", SMALL)
def test_seed(dtype: str) -> None:
    """|a-g| <= 1e-4 + 2^-7 |g| with g rounded to the dtype."""
    output = _output(dtype)
    gold = output.gold.to(getattr(torch, dtype)).double().numpy()
    error = np.abs(output.found.double().numpy() - gold)
    assert _ratio(output.judged(), "seed") == pytest.approx((error / (1e-4 + 2.0**-7 * np.abs(gold))).max())


@pytest.mark.parametrize(("dtype", "factor"), [("float16", 2.0**-7), ("bfloat16", 2.0**-6)])
def test_op_plugin(dtype: str, factor: float) -> None:
    """|a-g| <= factor max(1, |g|)."""
    output = _output(dtype)
    gold, _, error = _arrays(output)
    expected = (error / (factor * np.maximum(1.0, np.abs(gold)))).max()
    assert _ratio(output.judged(), "op-plugin") == pytest.approx(expected)


@pytest.mark.parametrize("k", [2.0, 3.0])
def test_flash_attention(k: float) -> None:
    """max|a-g| <= k max|pt-g|; the newer one adds 2 max|(g + 0.3 - 0.3) - g| in the dtype."""
    output = _output("float16")
    output = replace(output, spec=replace(output.spec, k=k))
    _, same, error = _arrays(output)
    rounded = output.gold.half()
    offset = float(((rounded + 0.3 - 0.3) - rounded).abs().max())
    result = output.judged()
    assert _ratio(result, "flash-attention-2") == pytest.approx(error.max() / (k * same.max()))
    assert _ratio(result, "flash-attention-4") == pytest.approx(error.max() / (k * same.max() + 2 * offset), rel=1e-3)


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize(
    ("level", "limits"), [("l0", (10.0, 2.0, 2.0)), ("l1", (5.0, 1.5, 1.5)), ("l2", (2.0, 1.2, 1.2))]
)
def test_cann_dual_benchmark(dtype: str, level: str, limits: tuple[float, float, float]) -> None:
    """MARE, MERE and RMSE over the reference's, and the count of small elements."""
    output = _output(dtype)
    gold, same, error = _arrays(output)
    small, counts = SMALL[dtype]
    large = np.abs(gold) >= small
    measures = (
        lambda e: (e / (np.abs(gold) + 1e-7))[large].max(),
        lambda e: (e / (np.abs(gold) + 1e-7))[large].mean(),
        lambda e: np.sqrt((e[large] ** 2).mean()),
    )
    ratios = [measure(error) / max(measure(same), small) for measure in measures]
    worst = [ratio / limit for ratio, limit in zip(ratios, limits, strict=True)]
    worst.append((error[~large] > counts).sum() / max(1, 2 * (same[~large] > counts).sum()))
    assert _ratio(output.judged(), f"cann-2.1-{level}") == pytest.approx(max(worst))


@pytest.mark.parametrize(("dtype", "limit"), [("float16", 2.0**-10), ("bfloat16", 2.0**-7), ("float32", 2.0**-13)])
def test_cann_community(dtype: str, limit: float) -> None:
    """MERE < limit, MARE < 10 limit."""
    output = _output(dtype)
    gold, _, error = _arrays(output)
    relative = error / (np.abs(gold) + 1e-7)
    expected = max(relative.mean() / limit, relative.max() / (10 * limit))
    assert _ratio(output.judged(), "cann-community") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("dtype", "numbers", "bits"),
    [
        ("float16", (2.0**-9, 2.0**-9, 0.1), 10),
        ("bfloat16", (2.0**-6, 2.0**-6, 1.0), 7),
        ("float32", (2.0**-16, 2.0**-10, 0.01), 23),
    ],
)
@pytest.mark.parametrize("size", [1.0, 300.0])
def test_cann_mixed(dtype: str, numbers: tuple[float, float, float], bits: int, size: float) -> None:
    """99 % within atol + rtol |g|, and all within max(fallback, 32 ulp)."""
    output = _output(dtype)
    kind = getattr(torch, dtype)
    output = replace(
        output,
        gold=output.gold * size,
        same=(output.same.double() * size).to(kind),
        found=(output.found.double() * size * 1.001).to(kind),
    )
    gold, _, error = _arrays(output)
    atol, rtol, fallback = numbers
    share = (error > atol + rtol * np.abs(gold)).mean() / 0.01
    ulps = 32 * 2.0 ** (np.floor(np.log2(np.abs(gold))) - bits)
    expected = max(share, (error / np.maximum(fallback, ulps)).max())
    assert _ratio(output.judged(), "cann-mixed") == pytest.approx(expected)


@pytest.mark.parametrize("output", [made(), made_lse()], ids=["tensor", "lse"])
def test_all_are_shown_in_order(output: Made) -> None:
    """Every output shows every standard; passed means a ratio of one at most."""
    result = output.judged()
    assert tuple(one.name for one in result.standards) == NAMES
    assert all(one.passed == (one.ratio <= 1.0) for one in result.standards)


def test_they_decide_nothing() -> None:
    """A standard that fails does not fail the output."""
    result = made(dtype="bfloat16", scale=3.0).judged()
    assert result.passed
    assert not all(one.passed for one in result.standards)
