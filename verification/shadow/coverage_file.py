"""Kernel coverage as coverage.py data: what the replays executed, in place of what it saw the parser visit.

PyPTO's parser compiles each expression of a kernel under the kernel's file name while it traces, so that coverage.py
counts lines as executed that no launch ran. Inside the functions that are traced, its account is dropped and the
replays' put there; the rest of a file, which is ordinary Python, stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from verification.record import Record
from verification.shadow.account import resolve


@dataclass(frozen=True, kw_only=True)
class KernelLines:
    """What all records together show of one kernel file."""

    file: str
    """From the folder that it is imported from."""
    path: Path | None
    """Where it is here; None if it is not."""
    traced: frozenset[int]
    arcs: frozenset[tuple[int, int]]

    @property
    def executed(self) -> frozenset[int]:
        """Lines that ran in some launch."""
        return frozenset(line for arc in self.arcs for line in arc if line > 0)


def kernel_lines(records: Iterable[Record]) -> list[KernelLines]:
    """The kernel files of all records, by name."""
    traced: dict[str, set[int]] = {}
    arcs: dict[str, set[tuple[int, int]]] = {}
    for record in records:
        for file, seen in record.measurement.executed.items():
            traced.setdefault(file, set()).update(seen["traced"])
            arcs.setdefault(file, set()).update((first, last) for first, last in seen["arcs"])
    return [
        KernelLines(file=file, path=resolve(file), traced=frozenset(traced[file]), arcs=frozenset(arcs[file]))
        for file in sorted(traced)
    ]


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
        inside = traced_bodies(kernel.path.read_text(encoding="utf-8"), kernel.traced)
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


def traced_bodies(text: str, traced: Iterable[int]) -> set[int]:
    """Lines of the bodies of the functions that are traced; decorators and ``def`` are run by Python.

    Args:
        text: the file's text.
        traced: lines that a trace visited.
    """
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and not any(
            isinstance(inner, ast.FunctionDef) for inner in ast.walk(node) if inner is not node
        ):
            body = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            if not set(body).isdisjoint(traced):
                found |= set(body)
    return found


def lines_in_words(lines: Iterable[int]) -> str:
    """``3, 7-9``, as coverage.py reports missing lines."""
    numbers = sorted(lines)
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


@dataclass(frozen=True, kw_only=True)
class LoopPaths:
    """Control-flow paths through the body of one loop, over all records."""

    loop: str
    compiled: frozenset[str]
    """Functions that PyPTO compiled for them."""
    executed: frozenset[str]
    """Those of them that had a task in some launch."""
    trips: tuple[int, ...]
    """Numbers of iterations that occurred."""


def loop_paths(records: Iterable[Record]) -> list[LoopPaths]:
    """The loops of all records, by name, with what was compiled for them and what ran."""
    compiled: set[str] = set()
    executed: set[str] = set()
    trips: dict[str, set[int]] = {}
    for record in records:
        compiled.update(record.measurement.compiled)
        executed.update(record.measurement.paths)
        for loop, counts in record.measurement.trips.items():
            trips.setdefault(loop, set()).update(counts)
    return [
        LoopPaths(
            loop=loop,
            compiled=frozenset(name for name in compiled | executed if name.startswith(f"TENSOR_{loop}_Unroll")),
            executed=frozenset(name for name in executed if name.startswith(f"TENSOR_{loop}_Unroll")),
            trips=tuple(sorted(trips[loop])),
        )
        for loop in sorted(trips)
    ]
