"""The text of a kernel file as a run had it, each line with what became of it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from verification.changes.ran import digest
from verification.changes.texts import kept_text
from verification.shadow.account import resolve
from verification.shadow.columns import KernelLines
from verification.shadow.visits import executes, last_line

NEVER = "never"
"""State of a statement that no trace visited: Python decided against it, or nothing calls its function."""


@dataclass(frozen=True, kw_only=True)
class SourceLine:
    """One line of a kernel file."""

    number: int
    text: str
    state: str
    """The last column that its statement is in, ``never``, or empty where no statement stands."""


def text_that_ran(file: str, wanted: str, folder: Path) -> str | None:
    """The text with this digest: from the run's folder, else the file as it is here; None if neither has it.

    Args:
        file: from the folder that it is imported from.
        wanted: digest of the text that ran.
        folder: the run's folder.
    """
    kept = kept_text(folder, wanted)
    path = resolve(file) if kept is None else None
    if path is None:
        return kept
    text = path.read_bytes()
    return text.decode("utf-8", "replace") if digest(text) == wanted else None


def source_lines(text: str, kernel: KernelLines) -> tuple[SourceLine, ...]:
    """The functions of a file that have traced lines, line by line; what stands between them is left out.

    Args:
        text: the file's text.
        kernel: what the records show of it.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    shown = sorted(_shown(tree, kernel.traced))
    states = {line: state for lines, state in _states(tree, kernel) for line in lines}
    lines = text.splitlines()
    return tuple(SourceLine(number=n, text=lines[n - 1], state=states.get(n, "")) for n in shown if n <= len(lines))


def _shown(tree: ast.Module, traced: Collection[int]) -> set[int]:
    """Lines of the innermost functions that have traced lines; the traced lines themselves if none has."""
    found: set[int] = set(traced)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not _has_inner(node):
            first = min((one.lineno for one in node.decorator_list), default=node.lineno)
            lines = range(first, (node.end_lineno or node.lineno) + 1)
            if not set(lines).isdisjoint(traced):
                found.update(lines)
    return found


def _has_inner(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.FunctionDef) for one in ast.walk(node) if one is not node)


def _states(tree: ast.Module, kernel: KernelLines) -> Iterator[tuple[Iterable[int], str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not _has_inner(node):
            for inner in (one for statement in node.body for one in ast.walk(statement)):
                if isinstance(inner, ast.stmt) and executes(inner):
                    yield range(inner.lineno, last_line(inner) + 1), kernel.state(inner.lineno) or NEVER
