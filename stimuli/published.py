"""The published cases of PyPTO's block-sparse attention sample, with the numbers published for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from stimuli.case import Case, case
from stimuli.parameters import FORWARD_DEFAULTS

SOURCE = "PyPTO block-sparse attention README"
NEWER_SOURCE = "test tables of PyPTO's block-sparse attention, later version"
PASSES = {"forward": ("O", "LSE"), "backward": ("dQ", "dK", "dV")}
"""Outputs with published maxima, by pass."""


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


def forward_cases(dut: str) -> tuple[Case, ...]:
    """The 17 published forward cases: 13 aligned, then 4 non-aligned."""
    return tuple(
        case(dut, FORWARD_DEFAULTS, name=name, source=SOURCE, **given) for name, given in shapes("forward").items()
    )


def newer_cases(dut: str) -> tuple[Case, ...]:
    """Four shapes of a later version of the published tests; no maxima were published."""
    rows = facts()["newer_without_maxima"]["forward"]
    return tuple(case(dut, FORWARD_DEFAULTS, name=row["name"], source=NEWER_SOURCE, **parameters(row)) for row in rows)


def performance_cases(dut: str) -> tuple[Case, ...]:
    """The dense shapes with published times: B=1, Hq=Hkv=4, S = 256 … 2048; the published mode ``perf``."""
    return tuple(
        case(
            dut,
            FORWARD_DEFAULTS,
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
