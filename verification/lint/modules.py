"""Rules on a module: kernels among each other, and the wrappers that launch them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from verification.lint.finding import Match
from verification.lint.scope import Kernel


def shared_name(kernels: Sequence[Kernel]) -> Iterator[Match]:
    """A name that a nested function changes and its caller reads after the call."""
    nested = {kernel.node.name: kernel.node for kernel in kernels if kernel.nested}
    for kernel in kernels:
        for call in ast.walk(kernel.node):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in nested:
                inner = nested[call.func.id]
                if inner is not kernel.node:
                    for name in sorted(_changed(inner, call)):
                        if _read_after(kernel.node, name, call):
                            what = f"{name} of {inner.name}() is {name} of {kernel.node.name}()"
                            yield Match(rule="shared-name", node=call, what=what)


def _changed(inner: ast.FunctionDef, call: ast.Call) -> set[str]:
    """Names that the call gives another value: parameters bound to something else, and what is assigned inside."""
    names = [argument.arg for argument in inner.args.args]
    given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
    bound = {name for name, value in given.items() if not (isinstance(value, ast.Name) and value.id == name)}
    stored = {node.id for node in ast.walk(inner) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return bound | stored


def _read_after(caller: ast.FunctionDef, name: str, call: ast.Call) -> bool:
    """Whether the caller, which has set the name before the call, reads it after it without setting it again."""
    ends = call.end_lineno or call.lineno
    places = [node for node in ast.walk(caller) if isinstance(node, ast.Name) and node.id == name]
    stores = sorted(node.lineno for node in places if isinstance(node.ctx, ast.Store))
    reads = sorted(node.lineno for node in places if isinstance(node.ctx, ast.Load))
    owned = any(line < call.lineno for line in stores)
    later = next((line for line in reads if line > ends), None)
    return owned and later is not None and not any(ends < line < later for line in stores)


def missing_synchronize(tree: ast.Module, kernels: Sequence[Kernel]) -> Iterator[Match]:
    """A function that launches a kernel of its module without a synchronize before it."""
    jits = {kernel.node.name for kernel in kernels if not kernel.nested}
    factories = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.name not in jits
        and any(isinstance(inner, ast.FunctionDef) and inner.name in jits for inner in ast.walk(node))
    }
    top = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} & jits
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name not in jits | factories:
            yield from _launches(function, top, factories)


def _launches(function: ast.FunctionDef, top: set[str], factories: set[str]) -> Iterator[Match]:
    made = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _name(node.value) in factories
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    waits = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Call) and _name(node) == "synchronize"]
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id in made | top and not any(line < node.lineno for line in waits):
            yield Match(rule="missing-synchronize", node=node, what=f"{node.func.id}(…) in {function.name}()")


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
