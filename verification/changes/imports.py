"""Which files see what another one says at import: those that import it, and those that import these."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from verification.changes.texts import text_now
from verification.shadow.account import resolve


def importers(roots: Iterable[str], files: Iterable[str]) -> frozenset[str]:
    """The roots, and all files that import one of them, directly or over others.

    Args:
        roots: files, from the folders that they are imported from.
        files: those that there are, named in the same way.
    """
    known = {module_of(file): file for file in files}
    graph = {file: {known[name] for name in _imported(file) if name in known} for file in known.values()}
    found = set(roots)
    while True:
        more = {file for file, sources in graph.items() if sources & found} - found
        if not more:
            return frozenset(found)
        found |= more


def module_of(file: str) -> str:
    """A file's name as a module."""
    path = Path(file)
    parts = (path.stem,) if path.is_absolute() else path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _imported(file: str) -> frozenset[str]:
    """Modules that a file may import; a name from a package may be one."""
    path = resolve(file)
    return frozenset() if path is None else _imported_at(file, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _imported_at(file: str, path: Path, _written: int) -> frozenset[str]:
    try:
        tree = ast.parse(text_now(path))
    except (SyntaxError, ValueError):
        return frozenset()
    module = module_of(file)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{one.name}" for one in node.names)}
    return frozenset(found)
