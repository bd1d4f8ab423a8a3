"""Writes to one region that nothing orders: PyPTO's own graph of tasks has no path from one to the other.

A simulator runs tasks one after another, so that the later statement wins; on a card either may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bsa._pypto import Launch, Tasks, read_tasks
from verification.sanitizer.boxes import is_part, overlap, words
from verification.sanitizer.finding import UNORDERED, Finding, excuse
from verification.sanitizer.writes import Write
from verification.shadow.tree import Indices


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """Two writes to one region of an argument."""

    tensor: str
    region: str
    calls: tuple[int, int]
    """Numbers of the replayed calls of compiled paths in which they happened."""
    before: str
    """``file:line`` of the earlier statement."""
    then: Indices
    """Loop indices at the earlier write."""
    file: str
    """The later statement's."""
    line: int
    indices: Indices
    excuse: str

    @classmethod
    def of(cls, earlier: Write, later: Write, tensor: str) -> Overlap:
        """Of two writes that overlap."""
        place = later.place
        return cls(
            tensor=tensor,
            region=words(overlap(earlier.region, later.region) or ()),
            calls=(earlier.call, later.call),
            before=earlier.place.words(),
            then=earlier.indices,
            file=place.file,
            line=place.line,
            indices=later.indices,
            excuse=excuse(UNORDERED, place.file, place.line, place.last),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Overlap:
        """The inverse of :meth:`to_json`."""
        pairs = {name: tuple((one, value) for one, value in data[name]) for name in ("then", "indices")}
        return cls(**{**data, **pairs, "calls": tuple(data["calls"])})

    def finding(self) -> Finding:
        """What is said of it."""
        then = ", ".join(f"{name}={value}" for name, value in self.then) or "-"
        return Finding(
            kind=UNORDERED,
            file=self.file,
            line=self.line,
            indices=self.indices,
            tensor=self.tensor,
            region=self.region,
            facts={"before": self.before, "then": then},
            excuse=self.excuse,
        )


def direct(pairs: Iterable[tuple[int, int]], writes: Sequence[Write]) -> Iterator[tuple[Write, Write]]:
    """Of writes that overlap, the pairs between which no third one covers what the two share.

    The order of the others follows: each of the two overlaps the third one, and these pairs are looked at.

    Args:
        pairs: numbers of writes that overlap, the earlier one first.
        writes: to one tensor, in the order in which they happened.
    """
    before: dict[int, list[int]] = {}
    for earlier, later in pairs:
        before.setdefault(later, []).append(earlier)
    for later, found in sorted(before.items()):
        kept: list[int] = []
        for earlier in sorted(found, reverse=True):
            shared = overlap(writes[earlier].region, writes[later].region) or ()
            if not any(is_part(shared, writes[one].region) for one in kept):
                kept.append(earlier)
                yield writes[earlier], writes[later]


def unordered(overlaps: Sequence[Overlap], places: Mapping[int, tuple[int, int]], launch: Launch) -> list[Finding]:
    """The overlaps between whose tasks there is no path, one finding per pair of statements.

    Args:
        overlaps: of one launch.
        places: window and number of each replayed call (:func:`verification.shadow.crosscheck.places`).
        launch: what it left.
    """
    if not overlaps:
        return []
    tasks = read_tasks(launch.folder)
    first: dict[tuple[str, str, int, str], list[Overlap]] = {}
    for one in overlaps:
        if not _ordered(one, places, tasks):
            first.setdefault((one.tensor, one.file, one.line, one.before), []).append(one)
    return [replace(found[0].finding(), count=len(found)) for found in first.values()]


def _ordered(one: Overlap, places: Mapping[int, tuple[int, int]], tasks: Tasks) -> bool:
    """Whether some writer of the tensor in the one call waits for one in the other; unknown without tasks."""
    some, others = (tasks.writers(*places[call], one.tensor) if call in places else [] for call in one.calls)
    return not some or not others or tasks.ordered(some, others)
