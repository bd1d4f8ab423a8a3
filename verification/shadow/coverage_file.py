"""Kernel coverage as coverage.py data: what the replays executed, in place of what it saw the parser visit.

PyPTO's parser compiles each expression of a kernel under the kernel's file name while it traces, so that coverage.py
counts lines as executed that no launch ran. Inside the functions that are traced, its account is dropped and the
replays' put there; the rest of a file, which is ordinary Python, stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from coverage import CoverageData

from verification.shadow.columns import KernelLines
from verification.shadow.words import arcs_from_words, lines_from_words


def write_coverage(kernels: Iterable[KernelLines], target: Path) -> None:
    """Puts the replays' account into a coverage.py data file, which is made if there is none.

    Args:
        kernels: files that are here; others are left out.
        target: for example ``.coverage``. A file that holds lines without arcs is given lines.
    """
    data = CoverageData(basename=str(target))
    data.read()
    for kernel in kernels:
        if kernel.path is None:
            continue
        file = str(kernel.path)
        inside = _bodies(kernel.path.read_text(encoding="utf-8"), kernel.traced - kernel.helped)
        by_line = bool(data.measured_files()) and not data.has_arcs()
        lines = {line for line in data.lines(file) or () if line not in inside} | kernel.executed
        arcs = {arc for arc in data.arcs(file) or () if not inside & {abs(line) for line in arc}} | kernel.arcs
        if file in data.measured_files():
            data.purge_files([file])
        if by_line:
            data.add_lines({file: lines})
        else:
            data.add_arcs({file: arcs})
    data.write()


def traced_bodies(text: str, seen: Mapping[str, Any]) -> set[int]:
    """Lines of the bodies of the functions that PyPTO's parser reads; decorators and ``def`` are run by Python.

    Args:
        text: the file's text.
        seen: what a record says of the file, see :attr:`verification.record.Measurement.executed`.
    """
    return _bodies(text, lines_from_words(seen["traced"]) - lines_from_words(seen.get("helped", "")))


def _bodies(text: str, parsed: Iterable[int]) -> set[int]:
    """Lines of the bodies of the innermost functions that these lines are in."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and not any(
            isinstance(inner, ast.FunctionDef) for inner in ast.walk(node) if inner is not node
        ):
            body = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            if not set(body).isdisjoint(parsed):
                found |= set(body)
    return found


def executed_lines(seen: Mapping[str, Any]) -> frozenset[int]:
    """Lines of a kernel file that ran in some launch of a record.

    Args:
        seen: see :attr:`verification.record.Measurement.executed`.
    """
    return frozenset(line for arc in arcs_from_words(seen["arcs"]) for line in arc if line > 0)
