"""Evaluates PyPTO's symbolic scalars, which it writes in the manner of C, with the numbers of one call."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any, Protocol

from verification.shadow.tree import Expression


class Table(Protocol):
    """A table's contents: nested sequences of int, or an object that computes its rows when it is asked."""

    def __getitem__(self, index: int, /) -> Any:
        """A row, or a number of a row."""
        ...


class NotReplayableError(Exception):
    """An expression depends on what only a real run knows, or is written in a way that is not understood."""


class OutsideTableError(Exception):
    """A table is read where it has no entry."""

    def __init__(self, table: str, index: tuple[int, ...], shape: tuple[int, ...]) -> None:
        super().__init__(f"{table}{list(index)} of {list(shape)}")
        self.table = table
        self.index = index
        self.shape = shape


class Scope:
    """The names of one call: shapes, tables, and the loop indices as they stand.

    Args:
        shapes: shape of each tensor argument, by parameter name.
        tables: contents of the int32 arguments, by parameter name.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], tables: Mapping[str, Table]) -> None:
        self.shapes = shapes
        self.tables = tables
        self.indices: dict[str, int] = {}
        self.steps: dict[str, int] = {}
        self._functions: dict[str, Callable[..., int]] = {
            "_read": self._read,
            "_size": lambda name, axis: self.shapes[name][axis],
            "_begin": lambda index, begin: index == begin,
            "_end": lambda index, end, symbols: index + self._step(symbols) >= end,
            "_valid": lambda size, offset, shape: max(0, min(size - offset, shape)),
            "_min": min,
            "_max": max,
            "_divide": _divide,
            "_modulo": lambda left, right: left - _divide(left, right) * right,
        }

    def value(self, expression: Expression) -> int:
        """The number that an expression is now.

        Raises:
            NotReplayableError: it depends on a computed tensor, or is not understood.
            OutsideTableError: it reads beyond a table.
        """
        if isinstance(expression, int):
            return expression
        try:
            return int(eval(_compiled(expression), self._functions, self.indices))  # noqa: S307 - a closed grammar
        except (NameError, ZeroDivisionError, KeyError, IndexError) as error:
            raise NotReplayableError(f"{expression}: {type(error).__name__}: {error}") from error

    def values(self, expressions: Sequence[Expression]) -> tuple[int, ...]:
        """The numbers of several."""
        return tuple(one if isinstance(one, int) else self.value(one) for one in expressions)

    def _step(self, symbols: Sequence[str]) -> int:
        return next((self.steps[name] for name in symbols if name in self.steps), 1)

    def _read(self, name: str, *index: int) -> int:
        if name not in self.tables:
            raise NotReplayableError(f"{name} is read as a table and was not snapshot")
        shape = self.shapes[name]
        if len(index) != len(shape) or any(not 0 <= at < size for at, size in zip(index, shape, strict=False)):
            raise OutsideTableError(name, tuple(int(at) for at in index), tuple(shape))
        found: Any = self.tables[name]
        for at in index:
            found = found[at]
        return int(found)


def _divide(left: int, right: int) -> int:
    """Toward zero, as C does it."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_NOT = re.compile(r"!(?!=)")
_ARGUMENT = "ARG_"
_CALLS = {
    "RUNTIME_Min": "_min",
    "RUNTIME_Max": "_max",
    "RUNTIME_IsLoopBegin": "_begin",
    "RUNTIME_IsLoopEnd": "_end",
    "RUNTIME_GetInputShapeDim": "_size",
    "RUNTIME_GetViewValidShapeDim": "_valid",
}
_COMPARISONS = {"RUNTIME_Eq": ast.Eq, "RUNTIME_Ne": ast.NotEq}
_READ = re.compile(r"RUNTIME_GetInputDataInt32Dim\d")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult)
_UNARY = (ast.UAdd, ast.USub, ast.Not)
_COMPARE = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


@cache
def _compiled(expression: str) -> CodeType:
    """Code of an expression, made of nothing but numbers, loop indices and the functions of a scope."""
    try:
        tree = ast.parse(_NOT.sub(" not ", expression).strip(), mode="eval")
    except SyntaxError as error:
        raise NotReplayableError(f"{expression}: not understood") from error
    body = _Translator(expression).visit(tree.body)
    return compile(ast.fix_missing_locations(ast.Expression(body=body)), "<symbolic scalar>", "eval")


class _Translator(ast.NodeTransformer):
    """Turns C's meaning into Python's, and refuses what is not on the list."""

    def __init__(self, expression: str) -> None:
        self._expression = expression

    def visit(self, node: ast.AST) -> Any:
        handler = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if handler is None:
            raise self._refused(node)
        return handler(node)

    def _refused(self, node: ast.AST) -> NotReplayableError:
        return NotReplayableError(f"{self._expression}: {ast.unparse(node)} is known to a real run only")

    def _on_constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, int):
            raise self._refused(node)
        return node

    def _on_name(self, node: ast.Name) -> ast.expr:
        if node.id.startswith(("RUNTIME_", "_")):
            raise self._refused(node)
        return node

    def _on_unaryop(self, node: ast.UnaryOp) -> ast.expr:
        if not isinstance(node.op, _UNARY):
            raise self._refused(node)
        return ast.UnaryOp(op=node.op, operand=self.visit(node.operand))

    def _on_binop(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Div):
            return _call("_divide", left, right)
        if isinstance(node.op, ast.Mod):
            return _call("_modulo", left, right)
        if not isinstance(node.op, _OPERATORS):
            raise self._refused(node)
        return ast.BinOp(left=left, op=node.op, right=right)

    def _on_compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) != 1 or not isinstance(node.ops[0], _COMPARE):
            raise self._refused(node)
        return ast.Compare(left=self.visit(node.left), ops=node.ops, comparators=[self.visit(node.comparators[0])])

    def _on_call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _COMPARISONS and len(node.args) == 2:
            left, right = map(self.visit, node.args)
            return ast.Compare(left=left, ops=[_COMPARISONS[name]()], comparators=[right])
        if name in _CALLS:
            arguments = [self._argument(one) for one in node.args]
            if name == "RUNTIME_IsLoopEnd":
                symbols = [one.id for one in ast.walk(node.args[0]) if isinstance(one, ast.Name)]
                arguments.append(ast.Tuple(elts=[ast.Constant(one) for one in symbols], ctx=ast.Load()))
            return _call(_CALLS[name], *arguments)
        if _READ.fullmatch(name):
            return _call("_read", *(self._argument(one) for one in node.args))
        raise self._refused(node)

    def _argument(self, node: ast.expr) -> ast.expr:
        """An argument of a function; the name of a tensor becomes its text."""
        if isinstance(node, ast.Name) and node.id.startswith(_ARGUMENT):
            return ast.Constant(node.id.removeprefix(_ARGUMENT))
        found: ast.expr = self.visit(node)
        return found


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])
