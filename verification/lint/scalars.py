"""Rules on symbolic scalars and conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from verification.lint.finding import Match
from verification.lint.scope import CONDITIONS, Kernel, is_pypto, op_name


def explicit_cond(kernel: Kernel) -> Iterator[Match]:
    """``if pypto.cond(…):`` where the parser wraps the condition itself."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.If) and is_pypto(node.test, "cond"):
            yield Match(rule="explicit-cond", node=node, what=f"if {ast.unparse(node.test)}:")


def symbolic_power(kernel: Kernel) -> Iterator[Match]:
    """Powers, roots, quotients and products with floats of symbolic scalars."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.BinOp) and _is_unsupported(kernel, node):
            probe = "power" if isinstance(node.op, ast.Pow) else "times-a-float"
            yield Match(rule="symbolic-power", node=node, what=ast.unparse(node), probe=probe)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "math" and any(map(kernel.is_symbolic, node.args)):
                yield Match(rule="symbolic-power", node=node, what=ast.unparse(node), probe="math-sqrt")


def _is_unsupported(kernel: Kernel, node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    if not any(map(kernel.is_symbolic, sides)):
        return False
    if isinstance(node.op, ast.Pow):
        return True
    return isinstance(node.op, ast.Mult | ast.Add | ast.Sub | ast.Div) and any(
        isinstance(side, ast.Constant) and isinstance(side.value, float) for side in sides
    )


def boolean_of_condition(kernel: Kernel) -> Iterator[Match]:
    """``and``, ``or`` (but for their last operand) and ``not`` of symbolic conditions."""
    for node in ast.walk(kernel.node):
        asked: list[ast.expr] = []
        if isinstance(node, ast.BoolOp):
            asked = node.values[:-1]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            asked = [node.operand]
        if any(map(kernel.is_symbolic, asked)):
            yield Match(rule="boolean-of-condition", node=node, what=ast.unparse(node))


def python_min_max(kernel: Kernel) -> Iterator[Match]:
    """Python's ``min`` and ``max`` of symbolic scalars."""
    for node in ast.walk(kernel.node):
        builtin = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and op_name(node) in {"min", "max"}
        if builtin and isinstance(node, ast.Call) and any(map(kernel.is_symbolic, node.args)):
            yield Match(rule="python-min-max", node=node, what=ast.unparse(node))


def control_flow(kernel: Kernel) -> Iterator[Match]:
    """``return``, ``while``, a ternary on a symbolic condition, ``is_loop_begin`` of an expression."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Return):
            yield Match(rule="control-flow", node=node, what="return", probe="return")
        elif isinstance(node, ast.While):
            yield Match(rule="control-flow", node=node, what=f"while {ast.unparse(node.test)}:", probe="while")
        elif isinstance(node, ast.IfExp) and kernel.is_symbolic(node.test):
            yield Match(rule="control-flow", node=node, what=ast.unparse(node), probe="ternary")
        elif isinstance(node, ast.Call) and op_name(node) in CONDITIONS and not isinstance(node.args[0], ast.Name):
            yield Match(rule="control-flow", node=node, what=ast.unparse(node), probe="begin-of-expression")
