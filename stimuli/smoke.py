"""The smallest cases that touch every part of a forward kernel: a dozen, for every change."""

from __future__ import annotations

from typing import Any

from stimuli.case import Case, case
from stimuli.parameters import FORWARD_DEFAULTS


def forward_cases(dut: str) -> tuple[Case, ...]:
    """Twelve cases, each of them about something else."""

    def smoke(name: str, *, program: str = "once", **params: Any) -> Case:
        return case(dut, FORWARD_DEFAULTS, name=f"smoke/{name}", program={"kind": program}, **params)

    two_blocks: dict[str, Any] = {"seq_q": 256, "seq_kv": 1024}
    return (
        smoke("dense", mask="dense"),
        smoke("one token", seq_q=1, seq_kv=1),
        smoke("tails", seq_q=296, seq_kv=600),
        smoke("GQA 4 to 1", heads_q=4, seq_q=128, seq_kv=512),
        smoke("batches of mixed lengths", batch=4, seq_q=256, seq_kv=512, lengths_q="mixed", lengths_kv="shorter"),
        smoke("sparse", heads_q=2, heads_kv=2, seq_q=512, seq_kv=1024, density=0.5),
        smoke("small blocks", block_shape=[64, 64], seq_kv=448, mask={"family": "counts", "counts": [1, 2, 3, 7]}),
        smoke("empty query block", seq_q=512, seq_kv=512, mask="empty_rows"),
        smoke("NaN beyond the lengths", **two_blocks, lengths_q=[200], lengths_kv=[700], padding="nan"),
        smoke("logits below -65504", **two_blocks, values="very_negative"),
        smoke("one-hot rows", **two_blocks, values="exact", scale=0.125),
        smoke("mask edited in place", program="edit_mask", **two_blocks, heads_q=2, density=0.5),
    )
