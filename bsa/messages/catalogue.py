"""The catalogue: messages by dotted key, one TOML file per language."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LANGUAGES: Mapping[str, str] = {"en": "en.toml", "zh": "zh_CN.toml"}
"""Languages by their short name, each with its file beside this module."""


@dataclass(frozen=True)
class Catalogue:
    """The messages of one language.

    Attributes:
        language: a key of ``LANGUAGES``.
        messages: templates for ``str.format`` by dotted key (``report.summary.yes``).
    """

    language: str
    messages: Mapping[str, str]

    def text(self, key: str, /, **values: object) -> str:
        """One message with its placeholders filled.

        Raises:
            KeyError: no such key, or a placeholder that ``values`` lacks.
        """
        return self.messages[key].format(**values)

    def count(self, key: str, number: int, /, **values: object) -> str:
        """One message that depends on a number: ``<key>.one`` or ``<key>.other``, with ``{n}`` filled.

        Raises:
            KeyError: no such key, or a placeholder that ``values`` lacks.
        """
        return self.text(f"{key}.{'one' if number == 1 else 'other'}", n=number, **values)

    def find(self, key: str, /, default: str = "") -> str:
        """The message of a key that data made (a rule's name), or ``default``; no placeholders."""
        return self.messages.get(key, default)


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language.

    Raises:
        ValueError: not one of ``LANGUAGES``.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language: {language!r} is not one of {', '.join(LANGUAGES)}; use one of these")
    source = resources.files(__package__).joinpath(LANGUAGES[language])
    return Catalogue(language, dict(_flatten(tomllib.loads(source.read_text(encoding="utf-8")))))


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
