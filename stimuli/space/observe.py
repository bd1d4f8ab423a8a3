"""The bin of given lengths."""

from __future__ import annotations

from collections.abc import Sequence


def lengths_bin(spec: str | Sequence[int] | None, size: int, layout: str) -> str | None:
    """The pattern of actual lengths.

    Args:
        spec: None, a pattern's name, or one length per batch.
        size: tokens of a batch.
        layout: packed layouts always have lengths; none given are full ones.

    Returns:
        The pattern's name; None for lengths out of range.
    """
    if spec is None:
        return "full" if layout == "TND" else "none"
    if isinstance(spec, str):
        return spec
    kinds = {_kind(length, size) for length in spec}
    if None in kinds:
        return None
    named = {"full": "full", "short": "shorter", "empty": "zero", "single": "one"}
    rest = kinds - {"full"}
    if not rest:
        return "full"
    if len(rest) == 1 and (kinds != {"full", "short"}):
        return named[str(rest.pop())]
    return "mixed"


def _kind(length: int, size: int) -> str | None:
    if not 0 <= length <= size:
        return None
    if length == size:
        return "full"
    return {0: "empty", 1: "single"}.get(length, "short")
