"""Axis-aligned regions of a tensor: begin and end on every axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

Box: TypeAlias = tuple[tuple[int, int], ...]
T = TypeVar("T")


def box(offsets: Sequence[int], sizes: Sequence[int]) -> Box:
    """The region of ``sizes`` elements from ``offsets`` on."""
    return tuple((begin, begin + size) for begin, size in zip(offsets, sizes, strict=True))


def is_empty(region: Box) -> bool:
    """Whether it holds no element."""
    return any(begin >= end for begin, end in region)


def is_inside(region: Box, shape: Sequence[int]) -> bool:
    """Whether a tensor of ``shape`` holds all of it."""
    return all(begin >= 0 and end <= size for (begin, end), size in zip(region, shape, strict=True))


def is_part(one: Box, of: Box) -> bool:
    """Whether a region holds all of another one."""
    return all(first <= begin and end <= last for (begin, end), (first, last) in zip(one, of, strict=True))


def clipped(region: Box, shape: Sequence[int]) -> Box:
    """The part of it that a tensor of ``shape`` holds."""
    return tuple((max(begin, 0), min(end, size)) for (begin, end), size in zip(region, shape, strict=True))


def overlap(one: Box, other: Box) -> Box | None:
    """What two regions share; None if nothing."""
    shared = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))
    return None if is_empty(shared) else shared


def uncovered(region: Box, by: Iterable[Box]) -> list[Box]:
    """What is left of a region when others are taken away; disjoint."""
    left = [] if is_empty(region) else [region]
    for other in by:
        left = [piece for one in left for piece in _without(one, other)]
        if not left:
            break
    return left


def _without(region: Box, other: Box) -> Iterator[Box]:
    """The up to 2·axes pieces of a region around another one."""
    shared = overlap(region, other)
    if shared is None:
        yield region
        return
    rest = list(region)
    for axis, ((begin, end), (first, last)) in enumerate(zip(region, shared, strict=True)):
        if begin < first:
            yield (*rest[:axis], (begin, first), *rest[axis + 1 :])
        if last < end:
            yield (*rest[:axis], (last, end), *rest[axis + 1 :])
        rest[axis] = (first, last)


def overlapping(entries: Sequence[tuple[Box, T]]) -> Iterator[tuple[tuple[Box, T], tuple[Box, T]]]:
    """Pairs of entries whose regions share an element, the earlier entry first.

    Sorted by the first axis, so that disjoint rows, as most tensors are written, cost no comparison.

    Args:
        entries: regions, all of the same number of axes, each with what belongs to it.
    """
    active: list[int] = []
    for at in sorted(range(len(entries)), key=lambda one: entries[one][0][0]):
        region = entries[at][0]
        active = [one for one in active if entries[one][0][0][1] > region[0][0]]
        for other in active:
            if overlap(entries[other][0], region) is not None:
                yield entries[min(at, other)], entries[max(at, other)]
        active.append(at)


def last_element(region: Box, shape: Sequence[int]) -> int:
    """Row-major number of a region's last element in a tensor of ``shape``."""
    number = 0
    for (_, end), size in zip(region, shape, strict=True):
        number = number * size + end - 1
    return number


def words(region: Box) -> str:
    """For a reader: ``[256:512, 0:128]``, as one would index it."""
    return "[" + ", ".join(f"{begin}:{end}" for begin, end in region) + "]"
