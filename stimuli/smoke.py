"""The smallest cases that touch every part of a kernel: a dozen a pass, for every change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stimuli.case import Case, case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS

_ROWS: Mapping[str, Any] = {"seq_q": 256, "seq_kv": 1024}
_FEW: Mapping[str, Any] = {"block_shape": [64, 64], "seq_kv": 448, "mask": {"family": "counts", "counts": [1, 2, 3, 7]}}
_SPARSE: Mapping[str, Any] = {"heads_q": 2, "heads_kv": 2, "seq_q": 512, "seq_kv": 1024, "density": 0.5}
_POISON: Mapping[str, Any] = {**_ROWS, "lengths_q": [200], "lengths_kv": [700], "padding": "nan"}
_BATCHES: Mapping[str, Any] = {
    "batch": 4,
    "seq_q": 256,
    "seq_kv": 512,
    "lengths_q": "mixed",
    "lengths_kv": "shorter",
}


def forward_cases(dut: str) -> tuple[Case, ...]:
    """Twelve cases, each of them about something else."""

    def smoke(name: str, params: Mapping[str, Any], *, program: str = "once") -> Case:
        return case(dut, FORWARD_DEFAULTS, name=f"smoke/{name}", program={"kind": program}, **params)

    return (
        smoke("dense", {"mask": "dense"}),
        smoke("one token", {"seq_q": 1, "seq_kv": 1}),
        smoke("tails", {"seq_q": 296, "seq_kv": 600}),
        smoke("GQA 4 to 1", {"heads_q": 4, "seq_q": 128, "seq_kv": 512}),
        smoke("batches of mixed lengths", _BATCHES),
        smoke("sparse", _SPARSE),
        smoke("small blocks", _FEW),
        smoke("empty query block", {"seq_q": 512, "seq_kv": 512, "mask": "empty_rows"}),
        smoke("NaN beyond the lengths", _POISON),
        smoke("logits below -65504", {**_ROWS, "values": "very_negative"}),
        smoke("one-hot rows", {**_ROWS, "values": "exact", "scale": 0.125}),
        smoke("mask edited in place", {**_ROWS, "heads_q": 2, "density": 0.5}, program="edit_mask"),
    )


def backward_cases(dut: str) -> tuple[Case, ...]:
    """Twelve cases, each of them about something else."""

    def smoke(name: str, **params: Any) -> Case:
        return case(dut, BACKWARD_DEFAULTS, name=f"smoke/{name}", **params)

    return (
        smoke("dense", mask="dense"),
        smoke("one token", seq_q=1, seq_kv=1, values={"value": "integers:3"}, dout="constant:1"),
        smoke("tails", seq_q=296, seq_kv=600),
        smoke("GQA 4 to 1", heads_q=4, seq_q=128, seq_kv=512),
        smoke("batches of mixed lengths", **_BATCHES),
        smoke("sparse", **_SPARSE),
        smoke("small blocks", **_FEW),
        smoke("empty query block", seq_q=512, seq_kv=512, mask="empty_rows"),
        smoke("KV block that nobody selects", seq_kv=1024, mask="unattended"),
        smoke("NaN beyond the lengths", **_POISON),
        smoke("packed, BF16", **{**_BATCHES, "layout": "TND", "dtype": "bfloat16", "tail": 9, "padding": "inf"}),
        smoke("LSE as a column", lse_form="column", values="normal:2"),
    )
