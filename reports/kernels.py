"""What the kernels of a run really did, by DUT: traced, compiled, executed, and what the sanitizer found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reports.findings import FoundRow, findings
from reports.row import Row
from reports.source import SourceLine, source_lines, text_that_ran
from verification.record import Record
from verification.shadow.columns import COLUMNS, EXECUTED, TRACED, KernelLines, LoopPaths, kernel_lines, loop_paths
from verification.shadow.words import lines_in_words


@dataclass(frozen=True, kw_only=True)
class KernelFile:
    """One text of one kernel file."""

    dut: str
    name: str
    """The file's, with the beginning of the digest where the run had several texts of it."""
    kernel: KernelLines
    digest: str
    """Of the text that ran; empty if it is not known."""
    lines: tuple[SourceLine, ...]
    """Its functions that have traced lines; empty where the text is not at hand."""

    @property
    def missing(self) -> str:
        """Traced lines that no launch ran, in words."""
        return lines_in_words(self.kernel.lines(TRACED) - self.kernel.lines(EXECUTED))

    def anchor(self, line: int) -> str:
        """Id of a line on the page."""
        name = re.sub(r"[^A-Za-z0-9]+", "-", f"{self.dut}-{self.kernel.file}").strip("-")
        return f"kernel-{name}-{self.digest}-L{line}"

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Lines that are shown."""
        return frozenset(line.number for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Kernels:
    """What the kernels of one DUT did."""

    dut: str
    cases: int
    """Cases whose records say what their kernels executed."""
    files: tuple[KernelFile, ...]
    loops: tuple[LoopPaths, ...]
    ops: tuple[tuple[str, int], ...]
    """Operations in the functions that were compiled, over all launches: the most frequent first."""
    not_replayed: tuple[str, ...]
    """Reasons for which launches could not be replayed, so that nothing is said of them."""
    findings: tuple[FoundRow, ...]

    def lines(self, column: str) -> int:
        """Number of lines in a column."""
        return sum(len(one.kernel.lines(column)) for one in self.files)

    def branches(self, column: str) -> int:
        """Number of arms of branches in a column."""
        return sum(len(one.kernel.branches(column)) for one in self.files)

    def paths(self, column: str) -> int:
        """Number of control-flow paths in a column."""
        return sum(len(one.paths(column)) for one in self.loops)

    def link(self, file: str, line: int) -> str:
        """The anchor of a line that is shown; empty if it is not."""
        return next((one.anchor(line) for one in self.files if one.kernel.file == file and line in one.numbers), "")


def kernels(rows: Sequence[Row], folder: Path) -> tuple[Kernels, ...]:
    """The kernels of each DUT that has records of them, in the plan's order.

    Args:
        rows: every case.
        folder: the run's folder, for the texts that ran.
    """
    duts = dict.fromkeys(row.dut for row in rows)
    found = [_of(dut, [row for row in rows if row.dut == dut], folder) for dut in duts]
    return tuple(one for one in found if one.files or one.findings or one.not_replayed)


def _of(dut: str, rows: Sequence[Row], folder: Path) -> Kernels:
    records = [record for row in rows for record in row.attempts]
    told = [record for record in records if record.measurement.control_flow]
    ops: Counter[str] = Counter()
    for record in told:
        ops.update(record.measurement.ops)
    return Kernels(
        dut=dut,
        cases=len({record.case_id for record in told}),
        files=tuple(_files(dut, told, folder)),
        loops=tuple(loop_paths(told)),
        ops=tuple(ops.most_common()),
        not_replayed=tuple(dict.fromkeys(r.measurement.not_replayed for r in records if r.measurement.not_replayed)),
        findings=findings(rows),
    )


def _files(dut: str, records: Sequence[Record], folder: Path) -> Iterable[KernelFile]:
    """Each text apart: a line's number means another line in another text."""
    texts: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        for file in record.measurement.executed:
            digest = record.measurement.ran.get(file, {}).get("digest", "")
            texts.setdefault((file, digest), []).append(record)
    several = Counter(file for file, _ in texts)
    for (file, digest), mine in sorted(texts.items()):
        kernel = next(one for one in kernel_lines(mine) if one.file == file)
        text = text_that_ran(file, digest, folder) if digest else None
        lines = () if text is None else source_lines(text, kernel)
        name = f"{file} ({digest[:8] or '?'})" if several[file] > 1 else file
        yield KernelFile(dut=dut, name=name, kernel=kernel, digest=digest, lines=lines)


def plain(found: Kernels) -> dict[str, Any]:
    """The same as JSON data."""
    return {
        "dut": found.dut,
        "cases": found.cases,
        "lines": {column: found.lines(column) for column in COLUMNS},
        "branches": {column: found.branches(column) for column in COLUMNS},
        "paths": {column: found.paths(column) for column in COLUMNS},
        "files": [
            {
                "file": one.kernel.file,
                "digest": one.digest,
                "lines": {column: lines_in_words(one.kernel.lines(column)) for column in COLUMNS},
                "branches": {column: sorted(map(list, one.kernel.branches(column))) for column in COLUMNS},
            }
            for one in found.files
        ],
        "loops": [
            {
                "loop": one.loop,
                "paths": {column: len(one.paths(column)) for column in COLUMNS},
                "trips": list(one.trips),
            }
            for one in found.loops
        ],
        "ops": dict(found.ops),
        "not_replayed": list(found.not_replayed),
        "findings": [
            {**one.finding.to_json(), "count": one.count, "cases": [row.case_id for row in one.rows]}
            for one in found.findings
        ],
    }
