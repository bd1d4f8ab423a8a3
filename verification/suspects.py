"""Lines of a DUT's own sources that a recognised cause points at: where to look first, found without running them.

They are pointers and no proof: a line is named because it has the form that brings about such errors.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from verification.record import OutputResult

LARGE: Final = 1e4
"""A negative number beyond this in a source is a finite minus infinity."""
_HALF: Final = frozenset({"half", "float16", "DT_FP16", "fp16"})


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One kind of fault."""

    name: str
    cause: re.Pattern[str]
    """What the cause of such an error says."""
    lines: Callable[[ast.Module], Iterator[ast.AST]]
    """Finds the forms that bring it about."""


def rule_of(cause: str) -> str:
    """The name of the kind of fault that a cause speaks of; empty if of none that is known here."""
    return next((rule.name for rule in RULES if rule.cause.search(cause)), "")


def with_suspects(results: Sequence[OutputResult], sources: Sequence[str]) -> tuple[OutputResult, ...]:
    """Results whose causes point at lines of the DUT's sources, with these lines.

    Args:
        results: of all calls of a case.
        sources: the DUT's Python files.
    """
    return tuple(
        replace(one, location=replace(one.location, suspects=suspects(one.location.cause, sources)))
        if one.location is not None and rule_of(one.location.cause)
        else one
        for one in results
    )


def suspects(cause: str, sources: Iterable[str]) -> tuple[str, ...]:
    """``FWD/impl.py:12: text of the line``; a source that cannot be read has none.

    Args:
        cause: of an output.
        sources: Python files.
    """
    rule = next((rule for rule in RULES if rule.cause.search(cause)), None)
    if rule is None:
        return ()
    found: list[str] = []
    for path in map(Path, sources):
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError):
            continue
        numbers = sorted({getattr(node, "lineno", 0) for node in rule.lines(tree)})
        lines = text.splitlines()
        found += [f"{path.parent.name}/{path.name}:{number}: {lines[number - 1].strip()}" for number in numbers]
    return tuple(found)


def _addresses(tree: ast.Module) -> Iterator[ast.AST]:
    """What is kept by the address of a tensor."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in {"data_ptr", "id"}:
            yield node


def _sentinels(tree: ast.Module) -> Iterator[ast.AST]:
    """Large negative numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value = node.operand.value
            if isinstance(value, int | float) and LARGE <= value < float("inf"):
                yield node


def _half_scales(tree: ast.Module) -> Iterator[ast.AST]:
    """A scale that is made FP16."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        names = [_name(one) for one in ast.walk(node)]
        rounds = _name(node.func) == "half" or bool(_HALF & {_name(one) for one in _operands(node)})
        if rounds and any("scale" in name.lower() for name in names):
            yield node


def _arithmetic_masks(tree: ast.Module) -> Iterator[ast.AST]:
    """In a kernel: something times a tensor, plus a tensor, both read from memory: 0 times NaN is NaN."""
    for kernel in _kernels(tree):
        read = {
            target.id
            for node in ast.walk(kernel)
            if isinstance(node, ast.Assign) and "view" in {_name(one) for one in ast.walk(node.value)}
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(kernel):
            first, second = _two(node, "add", ast.Add)
            if _name(second) in read and read & {_name(one) for one in _two(first, "mul", ast.Mult)}:
                yield node


def _divisions(tree: ast.Module) -> Iterator[ast.AST]:
    """In a kernel: weights divided by their sum, whether or not anything was selected."""
    for kernel in _kernels(tree):
        for node in ast.walk(kernel):
            if _two(node, "div", ast.Div) != (None, None):
                yield node


def _substitutes(tree: ast.Module) -> Iterator[ast.AST]:
    """A block that stands in where none is selected: ``selected or [0]``."""
    for node in ast.walk(tree):
        inside = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) else []
        inside = [node.body, node.orelse] if isinstance(node, ast.IfExp) else inside
        if any(isinstance(one, ast.List) and one.elts for one in inside):
            yield node


def _kernels(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            _name(one.func if isinstance(one, ast.Call) else one) == "jit" for one in node.decorator_list
        ):
            yield node


def _two(node: ast.AST | None, function: str, operator: type[ast.operator]) -> tuple[ast.AST | None, ast.AST | None]:
    """The two operands of ``function(a, b)`` or ``a operator b``; of anything else none."""
    if isinstance(node, ast.Call) and _name(node.func) == function and len(node.args) >= 2:
        return node.args[0], node.args[1]
    if isinstance(node, ast.BinOp) and isinstance(node.op, operator):
        return node.left, node.right
    return None, None


def _operands(call: ast.Call) -> list[ast.AST]:
    return [*call.args, *(one.value for one in call.keywords)]


def _name(node: ast.AST | None) -> str:
    """The last name of a dotted one; empty where there is none."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


RULES: Final = (
    Rule(name="kept-by-address", cause=re.compile("tables kept by an address"), lines=_addresses),
    Rule(name="finite-minus-infinity", cause=re.compile("finite minus infinity"), lines=_sentinels),
    Rule(name="half-scale", cause=re.compile("scale stored in FP16"), lines=_half_scales),
    Rule(name="not-finite-spreads", cause=re.compile("NaN or Inf .* spreads"), lines=_arithmetic_masks),
    Rule(name="mean-of-v", cause=re.compile("mean of V"), lines=_divisions),
    Rule(name="nothing-selected", cause=re.compile("only rows that select nothing"), lines=_substitutes),
)
"""In order: the first whose cause is named counts."""
