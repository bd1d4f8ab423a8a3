"""The statements of a Python text, with the lines that each is told by."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement, or an arm of a ``try`` or ``match``."""

    tree: ast.AST
    parent: Statement | None
    field: str
    """Which block of its parent it stands in."""
    siblings: Sequence[Statement]
    """That block."""

    @property
    def first(self) -> int:
        """Its first line; a decorator belongs to it."""
        return _first(self.tree)

    @property
    def last(self) -> int:
        """Its last line."""
        return max(getattr(node, "end_lineno", None) or 0 for node in ast.walk(self.tree))

    @property
    def defines(self) -> bool:
        """Whether it defines a function."""
        return isinstance(self.tree, _FUNCTIONS)

    @property
    def scope(self) -> bool:
        """Whether it defines a function or a class."""
        return isinstance(self.tree, (*_FUNCTIONS, ast.ClassDef))

    @property
    def named(self) -> str:
        """Its name from the module down, if it is a function or class."""
        names = [str(vars(node.tree)["name"]) for node in self.holders() if node.scope]
        return ".".join(reversed(names))

    @property
    def at_import(self) -> bool:
        """Whether it runs when the module is imported; what a function's header decides shows when that runs."""
        return not any(node.defines for node in self.holders())

    def holders(self) -> Iterator[Statement]:
        """The statement itself, then what holds it, from the inside out."""
        node: Statement | None = self
        while node is not None:
            yield node
            node = node.parent

    def names(self) -> frozenset[str] | None:
        """What an import or a plain assignment at the module's level binds; None for any other statement."""
        if self.parent is not None:
            return None
        bound = _bound(self.tree)
        return None if bound is None else frozenset(bound)

    def same_import(self, old: Statements) -> bool:
        """Whether it is an import, and every name that the old text knew means what it meant."""
        if not isinstance(self.tree, ast.Import | ast.ImportFrom) or self.parent is not None:
            return False
        return all(old.names.get(name, origin) == origin for name, origin in (_bound(self.tree) or {}).items())

    def unit(self) -> frozenset[int]:
        """Lines one of which runs when it does: a compound statement's header, all that a function holds."""
        body = getattr(self.tree, "body", None)
        if not isinstance(body, list) or not body:
            return frozenset(range(self.first, self.last + 1))
        inner = _first(body[0])
        if self.defines:
            return frozenset(range(inner, self.last + 1))
        if isinstance(self.tree, ast.ClassDef):
            return frozenset(range(self.first, self.last + 1))
        return frozenset(range(self.first, max(self.first + 1, inner)))


class Statements:
    """Those of one text.

    Attributes:
        module: its tree, without docstrings.
        code: lines that hold more than comments and docstrings.
        defined: functions and classes, by name from the module down.
        names: what imports and plain assignments at the module's level bind, each with where it comes from.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """

    def __init__(self, text: str) -> None:
        self.module = ast.parse(text)
        self._all = list(self._walk(self.module, None))
        silent = {line for node in self._all if is_words(node.tree) for line in range(node.first, node.last + 1)}
        self.code = _lines_of_code(text) - silent
        self.defined = {node.named: node for node in self._all if node.scope}
        self.names = {name: origin for tree in self.module.body for name, origin in (_bound(tree) or {}).items()}
        self._by_first: dict[int, Statement] = {}
        for node in self._all:
            self._by_first.setdefault(node.first, node)
        for holder in ast.walk(self.module):
            body = getattr(holder, "body", None)
            if isinstance(body, list):
                body[:] = [one for one in body if not is_words(one)]

    def _walk(self, holder: ast.AST, parent: Statement | None) -> Iterator[Statement]:
        for field in _BLOCKS:
            block = getattr(holder, field, None)
            if isinstance(block, list):
                siblings: list[Statement] = []
                siblings += [Statement(tree, parent, field, siblings) for tree in block]
                for node in siblings:
                    yield node
                    yield from self._walk(node.tree, node)

    def at(self, line: int) -> Statement | None:
        """The innermost statement that holds a line."""
        holding = [node for node in self._all if node.first <= line <= node.last]
        return min(holding, key=lambda node: node.last - node.first, default=None)

    def starting(self, line: int) -> Statement | None:
        """The outermost statement that starts at a line."""
        return self._by_first.get(line)

    def first_of(self, holder: Statement, field: str) -> Statement:
        """The first statement of one block of a statement; the statement itself where that block is empty."""
        block = [node for node in self._all if node.parent is holder and node.field == field]
        return next((node for node in block if not is_words(node.tree)), holder)


def is_words(tree: ast.AST) -> bool:
    """Whether a statement is a docstring or another bare constant."""
    return isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant)


def _first(tree: ast.AST) -> int:
    own = tree.pattern if isinstance(tree, ast.match_case) else tree
    decorators: list[ast.expr] = getattr(tree, "decorator_list", [])
    return min([one.lineno for one in decorators] + [int(getattr(own, "lineno", 0))])


def _bound(tree: ast.AST) -> dict[str, str] | None:
    """Names that an import or a plain assignment binds, with where each comes from; None for other statements."""
    if isinstance(tree, ast.Import):
        return {(one.asname or one.name.partition(".")[0]): ast.dump(one) for one in tree.names}
    if isinstance(tree, ast.ImportFrom):
        return {(one.asname or one.name): f"{tree.level} {tree.module} {one.name}" for one in tree.names}
    targets = tree.targets if isinstance(tree, ast.Assign) else [tree.target] if isinstance(tree, ast.AnnAssign) else []
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    return {name: ast.dump(tree) for name in names} if names and len(names) == len(targets) else None


def _lines_of_code(text: str) -> set[int]:
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
