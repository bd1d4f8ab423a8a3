"""Lines and arcs as short texts, for records: ``3, 7-9`` and ``3>7>8, 8>3``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

Arc: TypeAlias = tuple[int, int]


def lines_in_words(lines: Iterable[int]) -> str:
    """``3, 7-9``, as coverage.py reports missing lines."""
    parts: list[list[int]] = []
    for number in sorted(lines):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def lines_from_words(words: str | Sequence[int]) -> frozenset[int]:
    """The inverse of :func:`lines_in_words`; numbers in a list, as older records have them, are taken too."""
    if not isinstance(words, str):
        return frozenset(words)
    ends = [part.split("-") for part in words.split(", ") if part]
    return frozenset(line for end in ends for line in range(int(end[0]), int(end[-1]) + 1))


def arcs_in_words(arcs: Iterable[Arc]) -> str:
    """``-2>3>7>8, 8>3``: each arc once, in chains."""
    left: dict[int, list[int]] = {}
    for first, last in sorted(set(arcs), reverse=True):
        left.setdefault(first, []).append(last)
    chains = []
    for first in sorted(left):
        while left[first]:
            chain = [first]
            while left.get(chain[-1]):
                chain.append(left[chain[-1]].pop())
            chains.append(">".join(map(str, chain)))
    return ", ".join(chains)


def arcs_from_words(words: str) -> frozenset[Arc]:
    """The inverse of :func:`arcs_in_words`."""
    chains = [[int(line) for line in chain.split(">")] for chain in words.split(", ") if chain]
    return frozenset(arc for chain in chains for arc in pairwise(chain))
