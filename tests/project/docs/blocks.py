"""Code blocks of the documentation, with what the HTML comment above each says about running it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>slow|exit \d|example)[^\n]*-->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """One fenced block.

    Marks: none = run it, it ends with 0; ``exit N`` = run it, it ends with N; ``slow`` = only check that its commands
    exist and understand their arguments; ``example`` = neither (an outline, with names that the reader replaces).
    """

    page: Path
    line: int
    language: str
    text: str
    mark: str

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.page.name}:{self.line}"

    @property
    def exit_code(self) -> int:
        """What running it must end with."""
        return int(self.mark.split()[1]) if self.mark.startswith("exit") else 0

    def commands(self) -> list[list[str]]:
        """Its commands as words: continued lines joined, ``&&`` split, comments and variable settings left out."""
        joined = self.text.replace("\\\n", " ")
        found = []
        for line in joined.splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
            lexer.whitespace_split = True
            words: list[str] = []
            for word in [*lexer, ";"]:
                if set(word) <= set("&|;"):
                    found.append(words)
                    words = []
                elif words or not re.match(r"[A-Z_]+=", word):
                    words.append(word)
        return [words for words in found if words]


def blocks(page: Path) -> list[Block]:
    """Every code block of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page=page,
            line=text.count("\n", 0, match.start("text")),
            language=match["language"],
            text=match["text"],
            mark=match["mark"] or "",
        )
        for match in _BLOCK.finditer(text)
    ]
