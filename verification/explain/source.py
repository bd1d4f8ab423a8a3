"""The text of a kernel file, by statement."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path


class Source:
    """The text of a kernel file."""

    def __init__(self, file: str) -> None:
        text = Path(file).read_text(encoding="utf-8")
        self._lines = text.splitlines()
        tree = ast.parse(text)
        self._statements = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.stmt)}
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    def text(self, line: int) -> str:
        """A statement's text, on one line."""
        node = self._statements.get(line)
        last = line if node is None or hasattr(node, "body") else node.end_lineno or line
        return " ".join(one.strip() for one in self._lines[line - 1 : last])

    def target(self, line: int) -> str:
        """The variable that the statement at a line gives a value."""
        node = self._statements.get(line)
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        target = target.value if isinstance(target, ast.Subscript) else target
        return target.id if isinstance(target, ast.Name) else ""

    def alias(self, line: int, function: str, outer: Mapping[str, str]) -> dict[str, str]:
        """Names of a function's parameters at a call, as the outermost caller has them."""
        calls = [node for node in ast.walk(self._statements[line]) if isinstance(node, ast.Call)]
        call = next((one for one in calls if isinstance(one.func, ast.Name) and one.func.id == function), None)
        defined = self._functions.get(function)
        if call is None or defined is None:
            return {}
        pairs = zip(defined.args.args, call.args, strict=False)
        return {one.arg: outer.get(given.id, given.id) for one, given in pairs if isinstance(given, ast.Name)}
