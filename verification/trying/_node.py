"""A value of a JSON file and where it stands in it, so that an error can say so."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bsa.messages import text
from verification.errors import UsageError

_LONGEST = 60
"""Characters of a value that an error shows."""


@dataclass(frozen=True)
class Node:
    """One value. Every method raises :class:`UsageError` that names file, field, value and what is legal."""

    file: Path
    value: Any
    where: str = ""
    """Names from the outermost on, with dots between."""

    def fields(self, *names: str, others: bool = False) -> dict[str, Node]:
        """The fields of an object.

        Args:
            names: those that must be there.
            others: whether there may be more.
        """
        legal = text("cli.try.legal.object", names=", ".join(names)) if names else text("cli.try.legal.arguments")
        self.require(legal, accepted=isinstance(self.value, dict))
        found = {name: Node(self.file, one, self._place(name)) for name, one in self.value.items()}
        for name in names:
            if name not in found:
                raise self._wrong("missing", self._place(name))
        for name, one in found.items():
            if name not in names and not others:
                raise self._wrong("unknown", one.where, names=", ".join(names))
        return found

    def require(self, legal: str, *, accepted: bool) -> None:
        """Refuses the value unless it is accepted."""
        if not accepted:
            shown = json.dumps(self.value, ensure_ascii=False)
            value = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
            raise self._wrong("wrong", self.where or "JSON", value=value, legal=legal)

    def word(self, *words: str) -> str:
        """One of these words."""
        self.require(
            text("cli.try.legal.word", words=", ".join(words)),
            accepted=isinstance(self.value, str) and self.value in words,
        )
        return str(self.value)

    def whole(self, *, least: int) -> int:
        """A whole number from ``least`` on."""
        right = _is_whole(self.value) and self.value >= least
        self.require(text("cli.try.legal.whole", least=least), accepted=right)
        return int(self.value)

    def wholes(self, count: int, *, least: int = 0, most: int | None = None) -> list[int]:
        """So many whole numbers from ``least`` on, up to ``most``."""
        right = isinstance(self.value, list) and len(self.value) == count and all(map(_is_whole, self.value))
        right = right and all(least <= one and (most is None or one <= most) for one in self.value)
        key = "wholes" if most is None else "lengths"
        self.require(text(f"cli.try.legal.{key}", count=count, least=least, most=most), accepted=right)
        return list(self.value)

    def number(self, *, least: float = -math.inf) -> float:
        """A finite number from ``least`` on."""
        right = _is_whole(self.value) or isinstance(self.value, float)
        key = "number" if least == -math.inf else "positive"
        right = right and _finite(self.value) and self.value >= least
        self.require(text(f"cli.try.legal.{key}"), accepted=right)
        return float(self.value)

    def _place(self, name: str) -> str:
        shown = json.dumps(name)[1:-1]  # on one line, whatever the name
        return f"{self.where}.{shown}" if self.where else shown

    def _wrong(self, kind: str, field: str, **words: object) -> UsageError:
        return UsageError(text(f"cli.try.field.{kind}", file=self.file, field=field, **words))


def _is_whole(value: Any) -> bool:
    """Whether a JSON value is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False
