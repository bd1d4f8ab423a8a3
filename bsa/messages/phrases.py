"""What records say, in another language: records keep English sentences, and these are recognised where they are shown.

A record is the same in every language, so that runs can be compared and merged. Each sentence that is written into one
has its template in the catalogue, under ``phrase``: the English one recognises it, the other language's says it again
with the same values. A sentence that no template fits, such as the message of a foreign error, stays as it is.
"""

from __future__ import annotations

import re
import string
from functools import cache, lru_cache

from bsa.messages.catalogue import Catalogue, catalogue

AREA = "phrase."
"""Keys of templates begin with this; the first that fits is taken."""
_NUMBER = r"[-+]?(?:[\d.,]+(?:e[-+]?\d+)?|inf|nan)"
_RANGES = r"\d[\d., ]*(?:and \d+ more)?"
SHAPES = {
    **dict.fromkeys(("n", "value", "limit", "count", "total"), _NUMBER),
    **dict.fromkeys(("rows", "blocks", "members", "lengths", "columns"), _RANGES),
    "list": r"\d[\d., ]*",
    "group": r"(?:(?:\w+=|\d+ of \d+ \().* )?",
    "here": "[^;]*?",
    "there": "[^;]*?",
    "verdict": "[A-Z_]+",
}
"""What a placeholder of this name stands for, as a pattern; those of other names stand for any text."""
_LABEL = re.compile(r"(?P<label>[\w.@:~-]+): (?P<rest>.+)")


def translate(said: str, messages: Catalogue) -> str:
    """A sentence of a record in the catalogue's language.

    Args:
        said: the sentence as the record has it, in English.
        messages: the language wanted.
    """
    return said if messages.language == "en" else _translate(said, messages.language)


@lru_cache(maxsize=4096)
def _translate(said: str, language: str) -> str:
    messages = catalogue(language)
    if found := _LABEL.fullmatch(said):
        return f"{found['label']}: {_translate(found['rest'], language)}"
    for key, pattern in _patterns():
        if found := pattern.fullmatch(said):
            values = {
                name: text if SHAPES.get(name) == _NUMBER else _translate(text, language)
                for name, text in found.groupdict().items()
            }
            return messages.text(key, **values)
    parts = said.split("; ")
    if len(parts) > 1:
        return messages.text("phrases.join").join(_translate(part, language) for part in parts)
    return said


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The English templates as patterns, in the catalogue's order."""
    english = catalogue("en").messages
    return tuple((key, _pattern(template)) for key, template in english.items() if key.startswith(AREA))


def _pattern(template: str) -> re.Pattern[str]:
    parts = []
    for literal, name, _, _ in string.Formatter().parse(template):
        parts.append(re.escape(literal))
        if name is not None:
            again = any(part.startswith(f"(?P<{name}>") for part in parts)
            parts.append(f"(?P={name})" if again else f"(?P<{name}>{SHAPES.get(name, '.*?')})")
    return re.compile("".join(parts), re.DOTALL)
