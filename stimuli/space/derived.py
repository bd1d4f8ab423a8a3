"""Axes of attention that are observed from made cases and from records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stimuli.space.axis import Derived


def _ratio(params: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    del facts
    if params["heads_q"] % params["heads_kv"]:
        return None
    ratio = params["heads_q"] // params["heads_kv"]
    return {1: "1", 2: "2"}.get(ratio, "odd, 3 and more" if ratio % 2 else "even, 4 and more")


def _alignment(params: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    del facts
    rows, keys = params["block_shape"]
    tails = (params["seq_q"] % rows > 0, params["seq_kv"] % keys > 0)
    return {(False, False): "none", (True, False): "queries", (False, True): "keys", (True, True): "both"}[tails]


def _selected(params: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    del params
    if "selected_blocks" not in facts:
        return None
    most = int(facts["selected_blocks"][1])
    return str(most) if most < 3 else ("3 to 8" if most < 9 else "9 and more")


def _topology(params: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    del params
    if "selected_blocks" not in facts:
        return None
    fewest, most = facts["selected_blocks"]
    if most == 0:
        return "nothing selected"
    if facts.get("empty_query_blocks"):
        return "some select nothing"
    return "all select equally many" if fewest == most else "different numbers"


def _passes(params: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    del params
    return facts.get("pass_filter")


DERIVED = (
    Derived(
        name="ratio",
        text="query heads per key head",
        names=("1", "2", "odd, 3 and more", "even, 4 and more"),
        observe=_ratio,
    ),
    Derived(
        name="tails",
        text="which sides end in a partial block",
        names=("none", "queries", "keys", "both"),
        observe=_alignment,
    ),
    Derived(
        name="selected",
        text="most key blocks that a query block selects",
        names=("0", "1", "2", "3 to 8", "9 and more"),
        observe=_selected,
    ),
    Derived(
        name="topology",
        text="how the numbers of selected blocks differ between query blocks",
        names=("all select equally many", "different numbers", "some select nothing", "nothing selected"),
        observe=_topology,
    ),
    Derived(
        name="passes",
        text="compile passes after which the interpreter ran (run --passes)",
        names=("none", "default", "all"),
        observe=_passes,
    ),
)
"""In the order of the docs; ``pass_filter`` comes from the record's measurement."""
