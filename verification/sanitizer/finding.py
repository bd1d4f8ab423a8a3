"""What the sanitizer found, as data; its words are in the catalogue."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bsa.messages import text

VIEW_OUTSIDE = "view-outside"
WRITE_OUTSIDE = "write-outside"
TABLE_OUTSIDE = "table-outside"
NEVER_WRITTEN = "never-written"
LOST_WRITE = "lost-write"
WRITTEN_TWICE = "written-twice"
PARALLEL_OVERLAP = "parallel-overlap"
UNORDERED = "unordered"
UNINITIALISED = "uninitialised"
PADDING = "padding"
OFFSET_ELEMENTS = "offset-elements"
OFFSET_BYTES = "offset-bytes"
KINDS = (
    VIEW_OUTSIDE,
    WRITE_OUTSIDE,
    TABLE_OUTSIDE,
    NEVER_WRITTEN,
    LOST_WRITE,
    WRITTEN_TWICE,
    PARALLEL_OVERLAP,
    UNORDERED,
    UNINITIALISED,
    PADDING,
    OFFSET_ELEMENTS,
    OFFSET_BYTES,
)
"""Every class of finding; each has its words in the catalogue under ``finding.``."""

_EXCUSE = re.compile(r"#\s*sanitizer:\s*(?P<kind>[a-z-]+)\s*:\s*(?P<reason>\S.*?)\s*$")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One class of mistake at one statement, with the first time it happened."""

    kind: str
    """One of :data:`KINDS`."""
    file: str
    line: int
    indices: tuple[tuple[str, int | str], ...]
    """Loop indices as they stood, outermost first."""
    tensor: str
    region: str
    """``[256:512, 0:128]``; of a table, the entry."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else the words need, for example ``shape``."""
    count: int = 1
    """How often it happened at this statement."""
    excuse: str = ""
    """The reason given at the line, with the tag ``# sanitizer: KIND: REASON``; empty = it counts as a failure."""

    def words(self, text: Callable[..., str] = text) -> str:
        """The finding in a sentence.

        Args:
            text: gives a message of the catalogue; without it, in the language that is set.
        """
        where = ", ".join(f"{name}={value}" for name, value in self.indices)
        key = "finding.place.loops" if where else "finding.place.plain"
        place = text(key, file=self.file, line=self.line, where=where)
        again = text("finding.again", n=self.count) if self.count > 1 else ""
        return f"{place}: {self.said(text)}{again}"

    def said(self, text: Callable[..., str] = text) -> str:
        """The same without its place and number."""
        return text(f"finding.{self.kind}", tensor=self.tensor, region=self.region, **self.facts)

    def to_json(self) -> dict[str, Any]:
        """Plain data, for a record."""
        return {**asdict(self), "indices": [list(pair) for pair in self.indices], "facts": dict(self.facts)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        """The inverse of :meth:`to_json`."""
        return cls(**{**data, "indices": tuple((name, value) for name, value in data["indices"])})


def excuse(kind: str, file: str, first: int, last: int) -> str:
    """The reason given for a class of finding on the lines of a statement; empty if none is.

    Args:
        kind: the class.
        file: the kernel's file.
        first: first line of the statement.
        last: its last line.
    """
    for number in range(first, last + 1):
        found = _EXCUSE.search(linecache.getline(file, number))
        if found and found["kind"] == kind:
            return found["reason"]
    return ""
