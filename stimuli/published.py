"""The published cases of PyPTO's block-sparse attention sample, with the numbers published for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from stimuli.case import Case, case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS

SOURCE = "PyPTO block-sparse attention README"
NEWER_SOURCE = "test tables of PyPTO's block-sparse attention, later version"
PASSES = {"forward": ("O", "LSE"), "backward": ("dQ", "dK", "dV")}
"""Outputs with published maxima, by pass."""
DEFAULTS: Mapping[str, Mapping[str, Any]] = {"forward": FORWARD_DEFAULTS, "backward": BACKWARD_DEFAULTS}
"""Frozen defaults, by pass."""
FINE_BLOCKS = (64, 128)
SEEDS = range(1, 21)


@cache
def facts() -> Mapping[str, Any]:
    """Everything that was published, as the data file holds it."""
    content: Mapping[str, Any] = json.loads(files("stimuli").joinpath("published.json").read_text(encoding="utf-8"))
    return content


def tolerance() -> tuple[float, float]:
    """(atol, rtol) of the published criterion: |a - g| <= atol + rtol·|g|."""
    given = facts()["tolerance"]
    return given["atol"], given["rtol"]


def aligned(direction: str = "forward") -> tuple[str, ...]:
    """Names of the cases without lengths, in the published order; the published mode ``precision``."""
    return tuple(row["name"] for row in facts()[direction])


def non_aligned(direction: str = "forward") -> tuple[str, ...]:
    """Names of the cases with lengths, in the published order; the published mode ``non-aligned``."""
    return tuple(row["name"] for row in facts()[f"{direction}_non_aligned"])


def quick() -> tuple[str, ...]:
    """Names behind the published ``--cases quick``."""
    return tuple(facts()["quick"])


def shapes(direction: str = "forward") -> dict[str, dict[str, Any]]:
    """Parameters of every published case of one pass, by name: aligned, then non-aligned."""
    rows = [*facts()[direction], *facts()[f"{direction}_non_aligned"]]
    return {row["name"]: parameters(row) for row in rows}


def first_seed(name: str, direction: str = "forward") -> int:
    """Seed of a published case: 0, and 100 more for each earlier row with the same shape.

    ``MHA S512`` is ``S512 Sparse70`` again: with one seed they would be one case under two names.
    """
    given = shapes(direction)
    earlier = list(given)[: list(given).index(name)]
    return 100 * sum(given[other] == given[name] for other in earlier)


def parameters(row: Mapping[str, Any]) -> dict[str, Any]:
    """One published row as parameters of a stimulus."""
    return {
        "batch": row["B"],
        "heads_q": row["Hq"],
        "heads_kv": row["Hkv"],
        "seq_q": row["Sq"],
        "seq_kv": row["Skv"],
        "density": float(row["density"]),
        "lengths_q": row.get("actual_seq_lengths"),
        "lengths_kv": row.get("actual_seq_lengths_kv"),
    }


def maxima(name: str, direction: str = "forward") -> dict[str, float]:
    """Published largest absolute differences of one case.

    Args:
        name: the published name, for example ``S256 Sparse50``.
        direction: ``forward`` or ``backward``.

    Returns:
        Maximum by output (``O``, ``LSE``, ``dQ``, ``dK``, ``dV``); empty for a name that was not published.
    """
    for row in [*facts()[direction], *facts()[f"{direction}_non_aligned"]]:
        if row["name"] == name:
            return {output: row[f"max_{output}"] for output in PASSES[direction] if f"max_{output}" in row}
    return {}


def performance() -> Mapping[str, Any]:
    """Published times and utilisations on a 910B3, dense, by sequence length (see the data file's note)."""
    measured: Mapping[str, Any] = facts()["performance_910B3_us"]
    return measured


def cases(dut: str, direction: str = "forward") -> tuple[Case, ...]:
    """The published cases of one pass: 13 + 4 forward or 15 + 4 backward, aligned ones first."""
    return tuple(
        case(dut, DEFAULTS[direction], name=name, source=SOURCE, seed=first_seed(name, direction), **params)
        for name, params in shapes(direction).items()
    )


def newer_cases(dut: str) -> tuple[Case, ...]:
    """Four forward shapes of a later version of the published tests; no maxima were published."""
    rows = facts()["newer_without_maxima"]["forward"]
    return tuple(case(dut, FORWARD_DEFAULTS, name=row["name"], source=NEWER_SOURCE, **parameters(row)) for row in rows)


def fine_cases(dut: str, direction: str = "forward") -> tuple[Case, ...]:
    """Every published case at blocks of 64×64 and of 128×128, where masks have more than a block or two."""
    return tuple(
        case(dut, DEFAULTS[direction], name=f"{name} at {block}x{block}", source=SOURCE, seed=seed, **params)
        for block in FINE_BLOCKS
        for name, given in shapes(direction).items()
        for seed, params in [(first_seed(name, direction), {**given, "block_shape": [block, block]})]
    )


def seed_cases(dut: str, direction: str = "forward") -> tuple[Case, ...]:
    """Every published case at seeds 1 … 20 after its own."""
    return tuple(
        case(dut, DEFAULTS[direction], name=f"{name} seed {seed}", source=SOURCE, seed=first + seed, **params)
        for name, params in shapes(direction).items()
        for first in [first_seed(name, direction)]
        for seed in SEEDS
    )


def performance_cases(dut: str, direction: str = "forward") -> tuple[Case, ...]:
    """The dense shapes B=1, Hq=Hkv=4, S = 256 … 2048; the published mode ``perf``.

    Times were published for all four forward, and up to 1024 backward.
    """
    return tuple(
        case(
            dut,
            DEFAULTS[direction],
            name=f"perf/S{size}",
            source=SOURCE,
            heads_q=4,
            heads_kv=4,
            seq_q=int(size),
            seq_kv=int(size),
            mask="dense",
        )
        for size in performance()["forward_task"]
    )
