"""Sequence lengths by their class relative to the block: where the tail logic of a kernel changes."""

from __future__ import annotations

CLASSES = ("exact", "one", "below", "one short", "one over", "several", "several and a tail")
"""Names of the classes; ``exact`` is one full block."""

_SEVERAL = {16: (5, 11), 48: (3, 3), 80: (3, 3), 64: (3, 4), 128: (3, 3), 256: (2, 2), 512: (2, 2), 1024: (2, 2)}
"""Blocks of ``several``, (queries, keys), by side; 11 key blocks are more than a kernel handles at once."""


def tokens(word: str, side: int, *, keys: bool) -> int:
    """A sequence length of a class.

    Args:
        word: one of :data:`CLASSES`.
        side: rows of a block.
        keys: of the key sequence (otherwise the query's).
    """
    several = _SEVERAL.get(side, (2, 2))[int(keys)] * side
    return {
        "one": 1,
        "below": max(2, side // 2 - 3),
        "one short": side - 1,
        "exact": side,
        "one over": side + 1,
        "several": several,
        "several and a tail": several + side // 4 + 1,
    }[word]


def size_class(size: int, side: int) -> str | None:
    """The class that a sequence length belongs to; None for an empty sequence."""
    if size < 1:
        return None
    if size in (1, side - 1, side, side + 1):
        return {1: "one", side - 1: "one short", side: "exact", side + 1: "one over"}[size]
    if size < side:
        return "below"
    return "several and a tail" if size % side else "several"
