"""Directed cases of the properties: about six a relation, small, each of them about something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stimuli.case import Case, case
from stimuli.properties import KIND

Params = Mapping[str, Any]

_SMALL: Params = {"block_shape": [64, 64], "seq_q": 128, "seq_kv": 192, "mask": "dense"}
_COUNTS: Params = {"mask": {"family": "counts", "counts": [1, 2, 3]}}
_GROUPS: Params = {**_SMALL, "heads_q": 4, "heads_kv": 2}
_SPARSE: Params = {**_SMALL, "heads_q": 2, **_COUNTS}
_TAILS: Params = {**_SMALL, "seq_q": 100, "seq_kv": 150}
_BF16: Params = {**_SMALL, "dtype": "bfloat16"}
_BATCHES: Params = {**_SMALL, "batch": 2, "lengths_q": [128, 77], "lengths_kv": [150, 192]}
_PACKED: Params = {**_BATCHES, "layout": "TND"}
_WIDE: Params = {"block_shape": [128, 128], "seq_q": 128, "seq_kv": 256, "mask": "dense"}

_ANY: Mapping[str, Params] = {
    "GQA": {**_SMALL, "heads_q": 2},
    "sparse": _SPARSE,
    "tails": _TAILS,
    "BF16": _BF16,
    "lengths": _BATCHES,
    "packed": _PACKED,
}
"""What suits every relation that needs no special stimulus."""

_MIXED: Params = {**_SMALL, "batch": 3, "lengths_q": [100, 0, 128], "lengths_kv": [192, 192, 1]}
_SHORT: Params = {**_SMALL, "lengths_q": [100], "lengths_kv": [150]}

DIRECTED: Mapping[str, Mapping[str, Params]] = {
    "repeat": _ANY,
    "history": _ANY,
    "edited-mask": _ANY,
    "strided": _ANY,
    "padding-poison": {
        "rows": {**_SMALL, "lengths_q": [70]},
        "keys": {**_SMALL, "lengths_kv": [130]},
        "both, sparse": {**_SPARSE, "lengths_q": [100], "lengths_kv": [150]},
        "GQA, BF16": {**_SHORT, "heads_q": 2, "dtype": "bfloat16"},
        "batches, one empty": _MIXED,
        "packed": {**_PACKED, "tail": 9},
    },
    "all-ones": _ANY,
    "batch-slice": {
        "plain": {**_SMALL, "batch": 2},
        "lengths": _BATCHES,
        "three, one empty": _MIXED,
        "sparse": {**_SPARSE, "batch": 2},
        "GQA, BF16": {**_BF16, "batch": 2, "heads_q": 2},
        "packed": _PACKED,
    },
    "head-slice": {
        "two groups": _GROUPS,
        "one group": {**_SMALL, "heads_q": 3},
        "no groups": {**_SMALL, "heads_q": 2, "heads_kv": 2},
        "a pattern per head": {**_GROUPS, "mask": "per_head", "density": 0.5},
        "BF16, tails": {**_TAILS, "heads_q": 4, "heads_kv": 2, "dtype": "bfloat16"},
        "packed": {**_PACKED, "heads_q": 4, "heads_kv": 2},
    },
    "gqa-expanded": {
        "2 to 1": {**_SMALL, "heads_q": 2},
        "4 to 2": _GROUPS,
        "6 to 2, sparse": {**_GROUPS, "heads_q": 6, **_COUNTS},
        "BF16": {**_BF16, "heads_q": 2},
        "tails": {**_TAILS, "heads_q": 3},
        "packed": {**_PACKED, "heads_q": 4, "heads_kv": 2},
    },
    "permute-q": {
        "dense": _SMALL,
        "sparse": {**_SPARSE, "seq_q": 192},
        "tail stays": {**_SMALL, "seq_q": 150},
        "lengths": {**_SPARSE, "batch": 2, "seq_q": 192, "lengths_q": [192, 140]},
        "BF16": {**_BF16, **_COUNTS},
        "GQA": {**_GROUPS, **_COUNTS},
    },
    "permute-kv": {
        "dense": _SMALL,
        "sparse": _SPARSE,
        "tail stays": {**_SMALL, "seq_kv": 150, "heads_q": 2},
        "lengths": {**_SPARSE, "batch": 2, "lengths_kv": [192, 140]},
        "BF16": {**_BF16, **_COUNTS},
        "GQA": {**_GROUPS, **_COUNTS},
    },
    "merge-halves": {
        "two blocks": _WIDE,
        "three blocks": _SMALL,
        "sparse": _SPARSE,
        "tails, GQA": {**_TAILS, "heads_q": 2},
        "BF16": _BF16,
        "packed": _PACKED,
    },
    "linearity": _ANY,
    "shift": _ANY,
}
"""Parameters by relation and text."""

_FAR: Params = {**_SMALL, "values": {"query": "positive"}}
FORWARD_ONLY: tuple[tuple[str, str, Params, Params], ...] = (
    ("shift", "up by 16", {"by": 16}, _FAR),
    ("shift", "down by 16", {"by": -16}, _FAR),
)
"""(relation, text, options, parameters): logits some hundred away from 0."""


def forward_cases(dut: str, defaults: Params) -> tuple[Case, ...]:
    """The directed cases of a forward pass."""
    far = tuple(_case(dut, defaults, relation, text, params, **by) for relation, text, by, params in FORWARD_ONLY)
    return (*backward_cases(dut, defaults), *far)


def backward_cases(dut: str, defaults: Params) -> tuple[Case, ...]:
    """The directed cases of a backward pass; a forward pass has them too."""
    return tuple(_listed(dut, defaults))


def _listed(dut: str, defaults: Params) -> Iterator[Case]:
    for relation, listed in DIRECTED.items():
        for text, params in listed.items():
            yield _case(dut, defaults, relation, text, params)


def _case(dut: str, defaults: Params, relation: str, text: str, params: Params, **options: Any) -> Case:
    program = {"kind": KIND, "relation": relation, **options}
    return case(dut, defaults, name=f"properties/{relation}: {text}", program=program, **params)
