"""The findings of one launch as they are made: one per class, statement and tensor, with the first time it happened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.sanitizer.finding import Finding, excuse
from verification.shadow.tree import Indices, Place


class Notes:
    """What was found so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, str], Finding] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """In the order in which they were made."""
        return tuple(self._found.values())

    def add(self, kind: str, place: Place, indices: Indices, tensor: str, region: str, **facts: Any) -> None:
        """Notes a finding, or that one happened again.

        Args:
            kind: one of :data:`verification.sanitizer.finding.KINDS`.
            place: the statement.
            indices: of the loops around it.
            tensor: name of the tensor; may be empty.
            region: in words.
            facts: what else the words need; lists become text.
        """
        key = (kind, place.file, place.line, tensor)
        before = self._found.get(key)
        if before is not None:
            self._found[key] = replace(before, count=before.count + 1)
            return
        self._found[key] = Finding(
            kind=kind,
            file=place.file,
            line=place.line,
            indices=indices,
            tensor=tensor or "?",
            region=region,
            facts={name: str(value) if isinstance(value, list) else value for name, value in facts.items()},
            excuse=excuse(kind, place.file, place.line, place.last),
        )
