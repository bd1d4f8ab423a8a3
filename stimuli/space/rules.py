"""Combinations of attention's bins that are left out, each with its reason."""

from __future__ import annotations

from stimuli.space.attention import BLOCKS, BY_CLASS, DRAWN, HEADS, STIMULUS_AXES, THRESHOLDS
from stimuli.space.axis import IGNORED, ILLEGAL, Rule
from stimuli.space.sizes import CLASSES, size_class, tokens


def _illegal(reason: str, **where: tuple[str, ...]) -> Rule:
    return Rule(kind=ILLEGAL, where=where, reason=reason)


def _ignored(reason: str, **where: tuple[str, ...]) -> Rule:
    return Rule(kind=IGNORED, where=where, reason=reason)


_MASKS = next(axis for axis in STIMULUS_AXES if axis.name == "mask").names
_ALL_KEPT = ("none", "full")
_POISON = ("large", "inf", "nan", "drawn")

_LEGALITY = (
    _illegal("heads-ratio", heads=("3/2",)),
    _illegal("block-shape", block=("24x64",)),
    _illegal("dtype", dtype=("float32",)),
    _illegal("head-dim", head_dim=("96",)),
    _illegal("lengths-required", layout=("TND",), lengths_q=("none",)),
    _illegal("lengths-required", layout=("TND",), lengths_kv=("none",)),
    _illegal("empty-tensor", layout=("TND",), batch=("one",), lengths_q=("zero",), padding=("zero",)),
    _illegal("empty-tensor", layout=("TND",), batch=("one",), lengths_kv=("zero",), padding=("zero",)),
)

_SENSE = (
    _ignored(
        "the pattern draws nothing at random",
        mask=tuple(name for name in _MASKS if name not in DRAWN),
        density=("0.6", "0.2"),
    ),
    _ignored("one batch: the same as full", batch=("one",), lengths_q=("mixed",)),
    _ignored("one batch: the same as full", batch=("one",), lengths_kv=("mixed",)),
    _ignored("one token: the same as full or zero", seq_q=("one",), lengths_q=("shorter", "mixed", "one")),
    _ignored("one token: the same as full or zero", seq_kv=("one",), lengths_kv=("shorter", "mixed", "one")),
    _ignored(
        "nothing lies beyond the lengths", layout=("BNSD",), lengths_q=_ALL_KEPT, lengths_kv=_ALL_KEPT, padding=_POISON
    ),
    _ignored("packed: the tail has no values of its own", layout=("TND",), padding=("drawn",)),
    _ignored(
        "one key head: nothing is expanded",
        heads=tuple(name for name, (_, key_heads) in HEADS.items() if key_heads == 1),
        strides=("expanded",),
    ),
    _ignored("all logits are 0: not one-hot", values=("exact",), scale=("0",)),
    _ignored("logits too near each other: not one-hot", values=("exact",), scale=("1/sqrt(D)",), head_dim=("256",)),
)

_ONE_BLOCK = ("one", "below", "one short", "exact")
_IDLE = "nothing is selected: the kernel has nothing to do"

_WORK = (
    _ignored(_IDLE, batch=("one",), lengths_q=("zero",)),
    _ignored(_IDLE, batch=("one",), lengths_kv=("zero",)),
    _ignored(_IDLE, mask=("empty_rows",), seq_q=_ONE_BLOCK),
    _ignored(_IDLE, mask=("empty_rows",), batch=("one",), lengths_q=("shorter", "one")),
    _ignored(_IDLE, mask=("empty_rows",), seq_q=("one over",), lengths_q=("shorter",)),
    _ignored(_IDLE, mask=("unattended",), seq_kv=_ONE_BLOCK),
    _ignored(_IDLE, mask=("unattended",), seq_kv=("one over",), layout=("TND",), lengths_kv=("shorter",)),
    _ignored(_IDLE, mask=("unattended",), batch=("one",), layout=("TND",), lengths_kv=("shorter", "one")),
)


def _thresholds() -> tuple[Rule, ...]:
    """A threshold decides the number of query rows: their class follows from it, and must be the one named."""
    found = []
    for block, (rows, _) in BLOCKS.items():
        for number in THRESHOLDS:
            other = tuple(word for word in CLASSES if word != size_class(number, rows))
            here = {"threshold_q": (str(number),), "block": (block,)}
            found.append(_ignored("the threshold's rows are of another class", **here, seq_q=other))
        at = tuple(word for word in CLASSES if tokens(word, rows, keys=False) in THRESHOLDS)
        if at:
            found.append(_ignored("is at a threshold", threshold_q=(BY_CLASS,), block=(block,), seq_q=at))
    return tuple(found)


RULES = (*_LEGALITY, *_SENSE, *_WORK, *_thresholds())
"""Rules of both attention passes."""
