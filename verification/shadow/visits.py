"""What a visit of PyPTO's parser means: which nodes are statements, where they stand, which arm a branch takes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from verification.shadow.builder import Builder, expression
from verification.shadow.tree import Branch, Place


class Branching:
    """Stands for PyPTO's branch object in an ``if``, and notes which arm is visited."""

    def __init__(self, branch: Any, note: Callable[[bool], None]) -> None:
        self._branch, self._note = branch, note

    def __bool__(self) -> bool:
        taken = bool(self._branch)
        self._note(taken)
        return taken


Branching.__name__ = "RecordIfBranch"  # PyPTO's errors name the type: they must say what they say without a recorder


def note_branch(builder: Builder, scalar: Any, taken: bool) -> None:  # noqa: FBT001 - what bool() of it gave
    """Notes which arm of a branch is visited."""
    builder.items.append(Branch(builder.place, expression(scalar), taken))


def executes(node: Any) -> bool:
    """Whether coverage.py counts a node as a statement that runs: definitions and bare constants are none."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False
    return isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef)


def source_file(parser: Any) -> str:
    """The file of the function that a parser visits; PyPTO 0.1 has no method of that name."""
    return str(parser.diag.source.source_name)


def place_of(parser: Any, node: ast.stmt) -> Place:
    """A statement's place; of a compound one, its header's."""
    return Place(source_file(parser), node.lineno, last_line(node))


def last_line(node: ast.stmt) -> int:
    """The last line of a statement; of a compound one, of its header."""
    last = node.end_lineno
    if isinstance(node, ast.If):
        last = node.test.end_lineno
    elif isinstance(node, ast.For):
        last = node.iter.end_lineno
    return last or node.lineno
