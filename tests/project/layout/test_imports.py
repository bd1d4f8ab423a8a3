"""Imports point only to something earlier in bsa → stimuli → verification → reports."""

from __future__ import annotations

import ast
from pathlib import Path

ORDER = ("bsa", "stimuli", "verification", "reports")

COMPOSITION_ROOTS = ("verification/cli/", "verification/plugin.py", "bsa/attention/__main__.py")
"""The only modules that may join everything, by name; a name that ends in / is a folder."""


def _imported_packages(path: Path) -> set[str]:
    """First names of everything a module imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def _is_composition_root(name: str) -> bool:
    return any(name == one or (one.endswith("/") and name.startswith(one)) for one in COMPOSITION_ROOTS)


def test_every_import_points_backwards(root: Path, modules: list[Path]) -> None:
    """A module imports its own package and earlier ones; composition roots are exempt."""
    wrong = []
    for path in modules:
        name = path.relative_to(root).as_posix()
        later = set(ORDER[ORDER.index(name.split("/")[0]) + 1 :])
        if not _is_composition_root(name):
            wrong += [f"{name} imports {package}" for package in sorted(_imported_packages(path) & later)]
    assert not wrong, "imports against the direction: " + "; ".join(wrong)


def test_the_packages_do_not_import_the_tests(root: Path, modules: list[Path]) -> None:
    """Nothing that is shipped needs tests/ or benchmarks/."""
    wrong = [
        path.relative_to(root).as_posix() for path in modules if _imported_packages(path) & {"tests", "benchmarks"}
    ]
    assert not wrong


def test_no_relative_imports(root: Path, modules: list[Path]) -> None:
    """Every import names its package, so that the direction can be read from it."""
    wrong = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not wrong
