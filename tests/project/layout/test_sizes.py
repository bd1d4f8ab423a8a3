"""A file holds one concept: no module is over 500 lines, and the median one is under 170."""

from __future__ import annotations

from pathlib import Path
from statistics import median

LONGEST = 500
MEDIAN = 170


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_module_is_too_long(root: Path, tree: list[Path]) -> None:
    """No Python file of the tree, tests included, has more than 500 lines."""
    over = {
        str(path.relative_to(root)): _lines(path) for path in tree if path.suffix == ".py" and _lines(path) > LONGEST
    }
    assert not over


def test_modules_are_short(modules: list[Path]) -> None:
    """The median module of the packages, empty ones aside, has fewer than 170 lines."""
    assert median(_lines(path) for path in modules if _lines(path)) < MEDIAN
