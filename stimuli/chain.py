"""Cases for the forward and the backward kernel together: gradients of our own outputs, against float64 autograd."""

from __future__ import annotations

from typing import Any

from stimuli import published
from stimuli.case import Case, case
from stimuli.parameters import CHAIN_DEFAULTS


def cases(dut: str) -> tuple[Case, ...]:
    """The published quick cases, then tails, lengths, GQA, empty blocks, large logits, BF16 and packed sequences."""

    def chain(name: str, **params: Any) -> Case:
        return case(dut, CHAIN_DEFAULTS, name=f"chain/{name}", **params)

    shapes = published.shapes("backward")
    lengths: dict[str, Any] = {"batch": 3, "seq_q": 300, "seq_kv": 600, "lengths_q": "mixed", "lengths_kv": "shorter"}
    return (
        *(chain(name, **shapes[name]) for name in published.quick()),
        chain("tails", heads_q=2, seq_q=296, seq_kv=600),
        chain("lengths", **lengths, padding="nan"),
        chain("GQA 6 to 1", heads_q=6, seq_kv=640, density=0.5),
        chain("empty query block", seq_q=512, seq_kv=1024, mask="empty_rows"),
        chain("KV block that nobody selects", seq_kv=1024, mask="unattended"),
        chain("large logits", seq_kv=640, values="large"),
        chain("small blocks", seq_q=320, seq_kv=457, block_shape=[64, 64], mask="counts"),
        chain("BF16", heads_q=2, seq_q=296, seq_kv=600, dtype="bfloat16"),
        chain("packed", **lengths, layout="TND"),
        chain("packed, BF16", **lengths, layout="TND", dtype="bfloat16", tail=5, padding="inf"),
    )
