"""Elementary kinds and regimes hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from stimuli import ranked, regimes, values
from stimuli.errors import StimulusError
from stimuli.random import Stream
from stimuli.rounding import round_to

SHAPE = (2, 2, 300, 64)


def drawn(spec: str) -> np.ndarray:
    """Elements of one kind, from a fixed stream."""
    return values.draw(spec, stream=Stream(b"test"), shape=SHAPE, argument="values")


@pytest.mark.parametrize("kind", sorted(values.KINDS))
def test_shape(kind: str) -> None:
    """Every kind gives float32 of the shape, finite after rounding to FP16."""
    made = drawn(kind)
    assert made.shape == SHAPE
    assert made.dtype == np.float32
    assert np.isfinite(round_to("float16", made)).all()


@pytest.mark.parametrize(
    ("spec", "low", "high"),
    [
        ("uniform", -1, 1),
        ("uniform:5", -5, 5),
        ("integers:2", -2, 2),
        ("constant:3", 3, 3),
        ("zero", 0, 0),
        ("positive", 0.5, 1),
        ("positive:-4", -4, -2),
        ("near:-90", -91.41, -88.59),
        ("shifted:1", 0, 2),
        ("outlier", -64, 64),
        ("fp16_extremes", -65504, 65504),
    ],
)
def test_range(spec: str, low: float, high: float) -> None:
    """The elements fill the range that the kind names, and nothing beyond."""
    made = drawn(spec)
    assert low <= made.min() <= low + 0.02 * (high - low)
    assert high - 0.02 * (high - low) <= made.max() <= high


def test_normal_sigma() -> None:
    """The number is the standard deviation."""
    assert drawn("normal:2.5").std() == pytest.approx(2.5, rel=0.02)


def test_integers_are_integers() -> None:
    """All integers of the range occur and nothing else."""
    assert set(np.unique(drawn("integers:2"))) == {-2, -1, 0, 1, 2}


def test_outliers_are_rare() -> None:
    """About one element in 1024 is beyond 1."""
    assert (abs(drawn("outlier")) > 1).mean() == pytest.approx(1 / 1024, rel=0.3)


def test_same_row() -> None:
    """All tokens of a head are equal, heads differ."""
    made = drawn("same_row")
    assert (made == made[:, :, :1]).all()
    assert (made[0, 0, 0] != made[0, 1, 0]).any()


@pytest.mark.parametrize("spec", ["gauss", "normal:x", "normal:inf", "", 3])
def test_wrong_kind(spec: object) -> None:
    """An unknown kind or number is refused with the kinds there are."""
    with pytest.raises(StimulusError, match=r"values = .*one of uniform, normal"):
        values.parse(spec, argument="values")  # type: ignore[arg-type]


@pytest.mark.parametrize("regime", sorted(regimes.REGIMES))
def test_regimes_name_known_kinds(regime: str) -> None:
    """Every regime gives each tensor a kind that can be made."""
    kinds = regimes.resolve(regime)
    assert tuple(kinds) == regimes.TENSORS
    assert all(kind == regimes.RANKED or values.parse(kind, argument="values") for kind in kinds.values())


def test_regime_forms() -> None:
    """A kind alone holds for all tensors, a mapping leaves the others uniform."""
    assert regimes.resolve("normal:2.3") == dict.fromkeys(regimes.TENSORS, "normal:2.3")
    assert regimes.resolve({"key": "zero"}) == {"query": "uniform", "key": "zero", "value": "uniform"}


@pytest.mark.parametrize("spec", ["hot", "normal:x", {"keys": "zero"}, {"key": "cold"}, {"key": "ranked"}])
def test_wrong_regime(spec: object) -> None:
    """An unknown regime, tensor or kind is refused."""
    with pytest.raises(StimulusError, match="values"):
        regimes.resolve(spec)  # type: ignore[arg-type]


@pytest.mark.parametrize("head_dim", [4, 64, 80, 128, 256])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_ranked_logits(head_dim: int, dtype: str) -> None:
    """q·k is ±1280 times a permutation of 0 … S-1, after rounding to the dtype."""
    shape = (1, 2, 300, head_dim)
    query, key = ranked.query(shape), ranked.key(Stream(b"test"), shape)
    for array in (query, key):
        bits = round_to(dtype, array)
        back = (bits.astype(np.uint32) << 16).view(np.float32) if dtype == "bfloat16" else bits.astype(np.float32)
        assert np.array_equal(back, array)
    logits = query.astype(np.float64) @ key.astype(np.float64).swapaxes(-1, -2)
    assert np.array_equal(np.sort(logits[:, :, 0]), np.broadcast_to(1280.0 * np.arange(300), (1, 2, 300)))
    assert np.array_equal(logits[:, :, 1], -logits[:, :, 0])


def test_ranked_limits() -> None:
    """Shapes whose ranks would be rounded are refused."""
    with pytest.raises(StimulusError, match="head_dim = 3"):
        ranked.query((1, 1, 1, 3))
    with pytest.raises(StimulusError, match="seq_kv = 16385"):
        ranked.key(Stream(b"test"), (1, 1, 16385, 4))
