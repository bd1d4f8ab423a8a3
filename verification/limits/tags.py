"""Use tags: comments ``# limit 4: …`` on lines that rely on the workaround of a limit."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TAG = re.compile(r"#\s*limits? (?P<numbers>\d+(?:, \d+)*): (?P<what>\S.*)")


@dataclass(frozen=True, kw_only=True)
class Use:
    """One line that relies on a workaround."""

    number: int
    """The limit."""
    path: Path
    line: int
    function: str
    """The innermost function around it; empty at the top of the module."""
    what: str
    """What the tag says of it."""

    @property
    def place(self) -> str:
        """``file.py:12 function``."""
        return f"{self.path.name}:{self.line}" + (f" {self.function}" if self.function else "")


def uses(paths: Iterable[Path | str]) -> list[Use]:
    """Every tagged line of some files, in order."""
    return [use for path in map(Path, paths) for use in uses_of(path.read_text(encoding="utf-8"), path)]


def uses_of(source: str, path: Path) -> Iterator[Use]:
    """Every tagged line of one source text, in order.

    Args:
        source: Python.
        path: where it stands.
    """
    if "limit" not in source:
        return
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        match = _TAG.search(token.string) if token.type == tokenize.COMMENT else None
        if match:
            line = token.start[0]
            around = [node for node in functions if node.lineno <= line <= (node.end_lineno or line)]
            inner = max(around, key=lambda node: node.lineno, default=None)
            for number in match["numbers"].split(", "):
                yield Use(
                    number=int(number),
                    path=path,
                    line=line,
                    function=inner.name if inner else "",
                    what=match["what"].strip(),
                )
