"""Where a maker says ``exact``, the answer has no rounding: checked against attention in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.attention import build_forward
from stimuli.tensors import Draft

Array = npt.NDArray[np.float64]


def numbers(draft: Draft, name: str) -> Array:
    """A tensor's elements as float64."""
    tensor = draft.tensors[name]
    seen = tensor.view()
    if tensor.dtype == "bfloat16":
        seen = (seen.astype(np.uint32) << 16).view(np.float32)
    return seen.astype(np.float64)


def attention(draft: Draft) -> tuple[Array, Array]:
    """Output [B, Hq, Sq, D] and the logits of the keys that each row sees, others -inf."""
    query, key, value = (numbers(draft, name) for name in ("query", "key", "value"))
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat(group, axis=1), value.repeat(group, axis=1)
    rows, columns = draft.arguments["block_shape"]
    seen = draft.tensors["block_sparse_mask"].view().repeat(rows, axis=2)[:, :, : query.shape[2]]
    seen = seen.repeat(columns, axis=3)[..., : key.shape[2]].copy()
    for b, length in enumerate(draft.arguments["actual_seq_lengths_kv"] or []):
        seen[b, :, :, length:] = False
    scale = draft.arguments["scale"] or query.shape[-1] ** -0.5
    logits = np.where(seen, scale * (query @ key.swapaxes(-1, -2)), -np.inf)
    top = logits.max(axis=-1, keepdims=True)
    weights = np.exp(logits - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=-1, keepdims=True)
    return np.where(total > 0, weights @ value / np.where(total > 0, total, 1.0), 0.0), logits


@given(
    dtype=st.sampled_from(["float16", "bfloat16"]),
    mask=st.sampled_from(["random", "empty_rows", "unattended"]),
    lengths=st.sampled_from([None, [50], [1], [0]]),
    heads=st.sampled_from([(1, 1), (4, 2)]),
    seed=st.integers(0, 3),
)
def test_one_hot(dtype: str, mask: str, lengths: list[int] | None, heads: tuple[int, int], seed: int) -> None:
    """``exact``: neighbouring logits differ by over 110, and O is a row of V or zero."""
    params = {"seq_q": 40, "seq_kv": 80, "head_dim": 64, "block_shape": [16, 16], "mask": mask, "density": 0.4}
    params |= {"values": "exact", "dtype": dtype, "lengths_kv": lengths, "heads_q": heads[0], "heads_kv": heads[1]}
    draft = build_forward(params, seed)
    output, logits = attention(draft)
    assert draft.facts["exact"]
    ordered = np.sort(logits, axis=-1)[..., -2:]
    assert (ordered[..., 1] >= ordered[..., 0] + 110).all()
    value = numbers(draft, "value").astype(np.float32)
    group = heads[0] // heads[1]
    for h in range(heads[0]):
        rows = {row.tobytes() for row in value[0, h // group]} | {np.zeros(64, dtype=np.float32).tobytes()}
        assert all((row + np.float32(0)).tobytes() in rows for row in output[0, h].astype(np.float32))


def test_one_hot_rows_differ() -> None:
    """Neighbouring query rows pick different keys."""
    output, _ = attention(build_forward({"head_dim": 64, "values": "exact"}, 0))
    assert (output[0, 0, 0] != output[0, 0, 1]).any()


@pytest.mark.parametrize(
    ("params", "exact"),
    [
        ({"seq_kv": 1024}, True),
        ({"seq_kv": 1024, "lengths_kv": [512]}, True),
        ({"seq_kv": 2048, "mask": "single"}, True),
        ({"seq_kv": 2048, "mask": "none"}, True),
        ({"seq_kv": 1000}, False),
        ({"seq_kv": 1536, "mask": {"family": "counts", "counts": [3]}}, False),
        ({"seq_kv": 4096}, False),
        ({"seq_kv": 512, "dtype": "bfloat16"}, False),
        ({"seq_kv": 256, "dtype": "bfloat16"}, True),
        ({"seq_kv": 1024, "mask": {"family": "empty_rows"}}, True),
    ],
)
def test_exact_mean(params: dict[str, Any], exact: bool) -> None:
    """``exact_mean`` is exact where all rows see 2ⁿ keys that the dtype can count."""
    draft = build_forward({"values": "exact_mean", "seq_q": 512, "head_dim": 16, **params}, 0)
    assert draft.facts["exact"] is exact
    if exact and params.get("mask") != "none":
        output, _ = attention(draft)
        rounded = output.astype(np.float16 if draft.tensors["query"].dtype == "float16" else np.float32)
        assert np.array_equal(rounded.astype(np.float64), output)


@pytest.mark.parametrize(("scale", "exact"), [(None, True), (0.1, True), (-0.125, True), (0.05, False)])
def test_the_gap_depends_on_the_scale(scale: float | None, exact: bool) -> None:
    """One-hot rows need a logit gap of 110."""
    assert build_forward({"values": "exact", "scale": scale}, 0).facts["exact"] is exact


def test_one_key() -> None:
    """A row that sees one key copies its value: exact in any regime."""
    assert build_forward({"seq_kv": 1, "values": "normal"}, 0).facts["exact"]
    assert not build_forward({"seq_kv": 2, "values": "normal"}, 0).facts["exact"]


@pytest.mark.parametrize("head_dim", [64, 128, 256])
def test_very_negative(head_dim: int) -> None:
    """All logits of ``very_negative`` are below the smallest FP16, from head_dim 64."""
    params = {"seq_q": 64, "seq_kv": 64, "block_shape": [64, 64], "head_dim": head_dim, "values": "very_negative"}
    _, logits = attention(build_forward(params, 0))
    assert logits.max() < -65504


def test_negative() -> None:
    """All logits of ``negative`` are below zero."""
    _, logits = attention(build_forward({"values": "negative"}, 0))
    assert logits.max() < 0


def test_constant_key() -> None:
    """All logits of a row are equal under ``constant_key``."""
    _, logits = attention(build_forward({"values": "constant_key"}, 0))
    assert np.ptp(logits, axis=-1).max() < 1e-12
