"""Actual lengths: how many tokens of each batch count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stimuli.errors import StimulusError
from stimuli.random import Stream

_Pattern = Callable[[int, int, Stream], list[int]]


def _full(batch: int, size: int, stream: Stream) -> list[int]:  # noqa: ARG001 - one signature for all patterns
    return [size] * batch


def _shorter(batch: int, size: int, stream: Stream) -> list[int]:
    """Every batch is shorter than S, each by its own amount."""
    return [1 + int(drawn) for drawn in stream.integers(batch, max(size - 1, 1))]


def _mixed(batch: int, size: int, stream: Stream) -> list[int]:
    """Full, shorter, empty, one token, and again."""
    drawn = _shorter(batch, size, stream)
    return [(size, drawn[b], 0, min(1, size))[b % 4] for b in range(batch)]


def _zero(batch: int, size: int, stream: Stream) -> list[int]:  # noqa: ARG001
    """The last batch is empty."""
    return [size] * (batch - 1) + [0]


def _one(batch: int, size: int, stream: Stream) -> list[int]:  # noqa: ARG001
    """The last batch has one token."""
    return [size] * (batch - 1) + [min(1, size)]


PATTERNS: dict[str, _Pattern] = {
    "full": _full,
    "shorter": _shorter,
    "mixed": _mixed,
    "zero": _zero,
    "one": _one,
}
"""Names that the axes ``lengths_q`` and ``lengths_kv`` accept."""


def resolve(
    spec: str | Sequence[int] | None, *, batch: int, size: int, stream: Stream, argument: str
) -> list[int] | None:
    """The lengths that a call is given.

    Args:
        spec: None (no lengths given), a pattern's name, or the lengths themselves. Explicit lengths are not
            checked against ``size``: a case may be about a length that must be refused.
        batch: number of batches.
        size: tokens of a batch.
        stream: random bits for ``shorter`` and ``mixed``.
        argument: name of the axis, for the error.

    Returns:
        One length per batch, or None.

    Raises:
        StimulusError: an unknown pattern, or lengths that are not integers.
    """
    if spec is None:
        return None
    if isinstance(spec, str):
        if spec not in PATTERNS:
            legal = f"None, one of {', '.join(PATTERNS)}, or a list of integers"
            raise StimulusError(argument=argument, value=spec, legal=legal)
        return PATTERNS[spec](batch, size, stream)
    if not all(isinstance(length, int) and not isinstance(length, bool) for length in spec):
        raise StimulusError(argument=argument, value=spec, legal="a list of integers")
    return list(spec)


def draw(pattern: str, *, batch: int = 6, size: int = 48) -> str:
    """A pattern as text: one line per batch, ``#`` a token that counts and ``.`` one that does not."""
    lengths = resolve(pattern, batch=batch, size=size, stream=Stream(b"drawing"), argument="pattern") or []
    return "\n".join(f"{length:4d} " + "#" * length + "." * (size - length) for length in lengths)
