"""Rules on what is written where."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from verification.lint.finding import Match
from verification.lint.scope import Kernel, is_loop, is_pypto, op_name


def reshaped_output(kernel: Kernel) -> Iterator[Match]:
    """A parameter that is reshaped, and the result assembled into."""
    reshaped = _reshaped(kernel, kernel.node)
    inside = {name for node in ast.walk(kernel.node) if isinstance(node, ast.For) for name in _reshaped(kernel, node)}
    for node, target in _assembles(kernel):
        if target in reshaped:
            probe = "inside-the-loop" if target in inside else "outside-the-loop"
            yield Match(rule="reshaped-output", node=node, what=ast.unparse(node), probe=probe)


def _reshaped(kernel: Kernel, scope: ast.AST) -> set[str]:
    """Names that a scope gives to reshaped parameters."""
    return {
        target.id
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign) and is_pypto(node.value, "reshape")
        for target in node.targets
        if isinstance(target, ast.Name) and _first_name(node.value) in kernel.parameters
    }


def copied_input(kernel: Kernel) -> Iterator[Match]:
    """``y[:] = x`` of two parameters."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in kernel.parameters:
            for target in node.targets:
                whole = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)
                if whole and _names(target) & kernel.parameters:
                    yield Match(rule="copied-input", node=node, what=ast.unparse(node))


def update_by_assemble(kernel: Kernel) -> Iterator[Match]:
    """An output that is viewed and assembled into."""
    viewed = {_first_name(node) for node in ast.walk(kernel.node) if is_pypto(node, "view")}
    for node, target in _assembles(kernel):
        if target in viewed and target in kernel.parameters:
            yield Match(rule="update-by-assemble", node=node, what=ast.unparse(node))


def moved_source(kernel: Kernel) -> Iterator[Match]:
    """``t[:] = name``, and the name is read by a later statement of the same block before it is bound again."""
    blocks = [node.body for node in ast.walk(kernel.node) if isinstance(node, ast.FunctionDef | ast.For | ast.If)]
    blocks += [node.orelse for node in ast.walk(kernel.node) if isinstance(node, ast.If)]
    for block in blocks:
        for place, statement in enumerate(block):
            name = _moved(statement)
            later = _first_use(block[place + 1 :], name) if name and name not in kernel.parameters else None
            if later is not None:
                what = f"{ast.unparse(statement)}, and then {ast.unparse(later).splitlines()[0]}"
                yield Match(rule="moved-source", node=later, what=what)


def _moved(statement: ast.stmt) -> str:
    """The name that ``t[:] = name`` assigns; empty for another statement."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return ""
    whole = any(isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice) for one in statement.targets)
    return statement.value.id if whole else ""


def _first_use(statements: list[ast.stmt], name: str) -> ast.stmt | None:
    """The first of some statements that reads a name, if none binds it before."""
    for statement in statements:
        found = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
        if any(isinstance(node.ctx, ast.Load) for node in found):
            return statement
        if found:
            return None
    return None


def double_assemble(kernel: Kernel) -> Iterator[Match]:
    """An assemble in a loop, unconditional, whose place does not depend on the loop: the last iteration wins."""
    yield from _double(kernel, kernel.node.body, None)


def _double(kernel: Kernel, body: list[ast.stmt], variable: str | None) -> Iterator[Match]:
    """Unconditional assembles of one loop's body; ``variable`` is that loop's."""
    for statement in body:
        if isinstance(statement, ast.For):
            repeats = (
                is_loop(statement) and isinstance(statement.target, ast.Name) and not _runs_once(kernel, statement)
            )
            inner = statement.target.id if repeats and isinstance(statement.target, ast.Name) else None
            yield from _double(kernel, statement.body, inner)
        elif isinstance(statement, ast.If):
            for branch in (statement.body, statement.orelse):
                yield from _double(kernel, branch, None)
        elif variable is not None:
            for node in ast.walk(statement):
                if is_pypto(node, "assemble") and isinstance(node, ast.Call) and len(node.args) > 2:
                    target = node.args[2]
                    outer = isinstance(target, ast.Name) and target.id in kernel.parameters
                    if outer and not _depends(kernel, node.args[1], variable):
                        yield Match(rule="double-assemble", node=node, what=ast.unparse(node))


def _runs_once(kernel: Kernel, loop: ast.For) -> bool:
    arguments = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    return len(arguments) == 1 and kernel.integer(arguments[0]) == 1


def _depends(kernel: Kernel, offsets: ast.expr, variable: str) -> bool:
    """Whether an expression depends on a name, through assignments too."""
    reached, todo = {variable}, True
    while todo:
        todo = False
        for node in ast.walk(kernel.node):
            if isinstance(node, ast.Assign) and _names(node.value) & reached:
                new = {name for target in node.targets for name in _names(target)} - reached
                todo, reached = todo or bool(new), reached | new
    return bool(_names(offsets) & reached)


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _assembles(kernel: Kernel) -> Iterator[tuple[ast.Call, str]]:
    """Every assemble with the name of its target."""
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Call) and op_name(node) == "assemble" and len(node.args) > 2:
            target = node.args[2]
            yield node, target.id if isinstance(target, ast.Name) else ""


def _first_name(node: ast.AST) -> str:
    """The first argument of a call, if it is a name."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return first.id if isinstance(first, ast.Name) else ""
