"""What was written to a tensor, and by which iteration."""

from __future__ import annotations

from dataclasses import dataclass, field

from verification.sanitizer.boxes import Box
from verification.shadow.tree import Indices, Loop, Place


@dataclass(frozen=True, slots=True)
class Write:
    """One write."""

    place: Place
    region: Box
    indices: Indices
    loops: tuple[tuple[Loop, int], ...]
    reads: int
    """How often the tensor had been read before."""
    call: int
    """Number of the call of a compiled path in which it happened, from 0."""


@dataclass(slots=True)
class State:
    """Contents of one tensor."""

    known: bool
    """Whether everything in it has a value, by the host or by the operation that made it."""
    writes: list[Write] = field(default_factory=list)
    reads: int = 0


def parallel_loop(one: Write, other: Write) -> Loop | None:
    """The loop declared parallel whose iterations the two writes are of; None if they are of the same iteration."""
    for (loop, index), (same, another) in zip(one.loops, other.loops, strict=False):
        if loop is not same:
            return None
        if index != another:
            return loop if loop.parallel else None
    return None
