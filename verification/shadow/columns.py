"""What records together show of kernels, in three columns: traced, compiled, executed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from verification.record import Record
from verification.shadow.account import resolve
from verification.shadow.words import Arc, arcs_from_words, lines_from_words

TRACED, COMPILED, EXECUTED = "traced", "compiled", "executed"
COLUMNS = (TRACED, COMPILED, EXECUTED)
"""What the parser visited; what lies on a path that PyPTO compiled; what some launch ran. Each holds the next."""


@dataclass(frozen=True, kw_only=True)
class KernelLines:
    """What all records together show of one kernel file."""

    file: str
    """From the folder that it is imported from."""
    path: Path | None
    """Where it is here; None if it is not."""
    traced: frozenset[int]
    helped: frozenset[int] = frozenset()
    """Lines of ordinary functions, which Python runs while a kernel is traced."""
    compiled: frozenset[int] = frozenset()
    arcs: frozenset[Arc]
    """Pairs of lines that were executed one after the other."""
    arms: frozenset[Arc] = frozenset()
    """Ways on from lines where several were traced."""
    compiled_arms: frozenset[Arc] = frozenset()

    @property
    def executed(self) -> frozenset[int]:
        """Lines that ran in some launch."""
        return frozenset(line for arc in self.arcs for line in arc if line > 0)

    def lines(self, column: str) -> frozenset[int]:
        """Traced lines that are in a column, too."""
        found = {TRACED: self.traced, COMPILED: self.compiled | self.executed, EXECUTED: self.executed}[column]
        return found & self.traced

    def branches(self, column: str) -> frozenset[Arc]:
        """Arms of branches that are in a column."""
        ran = self.arms & self.arcs
        return {TRACED: self.arms, COMPILED: self.compiled_arms | ran, EXECUTED: ran}[column]

    def state(self, line: int) -> str:
        """The last column that a line is in; empty if it was never traced."""
        return next((column for column in reversed(COLUMNS) if line in self.lines(column)), "")


def kernel_lines(records: Iterable[Record]) -> list[KernelLines]:
    """The kernel files of all records, by name; records of versions that did not note what is compiled are left out."""
    told = [one.measurement.executed for one in records if one.measurement.control_flow]
    return [
        KernelLines(
            file=file,
            path=resolve(file),
            traced=_lines(told, file, "traced"),
            helped=_lines(told, file, "helped"),
            compiled=_lines(told, file, "compiled"),
            arcs=_arcs(told, file, "arcs"),
            arms=_arcs(told, file, "arms"),
            compiled_arms=_arcs(told, file, "compiled_arms"),
        )
        for file in sorted({file for one in told for file in one})
    ]


_Told: TypeAlias = Sequence[Mapping[str, Mapping[str, Any]]]


def _lines(told: _Told, file: str, key: str) -> frozenset[int]:
    return frozenset(line for one in told if file in one for line in lines_from_words(one[file][key]))


def _arcs(told: _Told, file: str, key: str) -> frozenset[Arc]:
    return frozenset(arc for one in told if file in one for arc in arcs_from_words(one[file][key]))


@dataclass(frozen=True, kw_only=True)
class LoopPaths:
    """Control-flow paths through the body of one loop, over all records; each is (unroll factor, PyPTO's number)."""

    loop: str
    traced: frozenset[tuple[int, int]]
    compiled: frozenset[tuple[int, int]]
    """Those that PyPTO compiled, or for which there is nothing to compile."""
    executed: frozenset[tuple[int, int]]
    """Those that some launch took."""
    trips: tuple[int, ...]
    """Numbers of iterations that occurred; none for the kernel's body."""

    def paths(self, column: str) -> frozenset[tuple[int, int]]:
        """Paths that are in a column."""
        return {TRACED: self.traced, COMPILED: self.compiled | self.executed, EXECUTED: self.executed}[column]


def loop_paths(records: Iterable[Record]) -> list[LoopPaths]:
    """The loops of all records, by name."""
    found: dict[str, dict[str, set[tuple[int, int]]]] = {}
    trips: dict[str, set[int]] = {}
    for record in records:
        for loop, factors in record.measurement.control_flow.items():
            columns = found.setdefault(loop, {column: set() for column in COLUMNS})
            for unroll, seen in factors.items():
                for column in COLUMNS:
                    columns[column].update((int(unroll), number) for number in lines_from_words(seen[column]))
        for loop, counts in record.measurement.trips.items():
            trips.setdefault(loop, set()).update(counts)
    return [
        LoopPaths(
            loop=loop,
            traced=frozenset(columns[TRACED]),
            compiled=frozenset(columns[COMPILED]),
            executed=frozenset(columns[EXECUTED]),
            trips=tuple(sorted(trips.get(loop, ()))),
        )
        for loop, columns in sorted(found.items())
    ]
