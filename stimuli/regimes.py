"""Value regimes: what query, key and value are together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stimuli import files
from stimuli.errors import StimulusError
from stimuli.values import KINDS, parse

TENSORS = ("query", "key", "value")
KEY_TENSORS = ("key", "value")

REGIMES: dict[str, dict[str, str]] = {
    "small": dict.fromkeys(TENSORS, "normal:0.02"),
    "large": dict.fromkeys(TENSORS, "normal:5"),
    "negative": {"query": "positive", "key": "positive:-1", "value": "uniform"},
    "very_negative": {"query": "near:100", "key": "near:-100", "value": "uniform"},
    "constant_key": {"query": "uniform", "key": "same_row", "value": "uniform"},
    "zero_key": {"query": "uniform", "key": "zero", "value": "uniform"},
    "extremes": {"query": "uniform", "key": "uniform", "value": "fp16_extremes"},
    "exact": {"query": "ranked", "key": "ranked", "value": "uniform"},
    "exact_mean": {"query": "uniform", "key": "zero", "value": "integers:1"},
}
"""Regimes that are more than one elementary kind for all three tensors. ``very_negative``: scaled logits
below -65504, the smallest FP16, from head_dim 64. ``exact``: one-hot rows (:mod:`stimuli.ranked`). ``exact_mean``:
K = 0 and V in {-1, 0, 1}: no rounding where a row sees 2ⁿ keys."""

RANKED = "ranked"
"""The kind that only :mod:`stimuli.ranked` makes, for queries and keys."""


def resolve(spec: str | Mapping[str, Any]) -> dict[str, str]:
    """The elementary kind of every tensor.

    Args:
        spec: a regime, an elementary kind for all three tensors (``normal:2.3``), or a mapping from tensor to kind,
            ``uniform`` where a tensor is not named; there a kind may also be a file's (:mod:`stimuli.files`).

    Returns:
        Kind by tensor: ``query``, ``key``, ``value``.

    Raises:
        StimulusError: an unknown regime, kind or tensor.
    """
    if isinstance(spec, str):
        if spec in REGIMES:
            return dict(REGIMES[spec])
        if spec.partition(":")[0] not in KINDS:
            legal = f"a regime ({', '.join(REGIMES)}), a kind ({', '.join(KINDS)}), or a mapping from tensor to kind"
            raise StimulusError(argument="values", value=spec, legal=legal)
        parse(spec, argument="values")
        return dict.fromkeys(TENSORS, spec)
    kinds = dict.fromkeys(TENSORS, "uniform")
    for tensor, kind in spec.items():
        if tensor not in kinds:
            raise StimulusError(
                argument=f"values.{tensor}", value=kind, legal=f"one of the tensors {', '.join(TENSORS)}"
            )
        if not (isinstance(kind, str) and kind.startswith(files.PREFIX)):
            parse(kind, argument=f"values.{tensor}")
        kinds[tensor] = kind
    return kinds
