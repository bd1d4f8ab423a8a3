"""A run whose records say what their kernels did, for the tests of the reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.reports import samples
from verification.changes.ran import digest
from verification.record import Record
from verification.runs import Run
from verification.sanitizer.finding import Finding
from verification.shadow.words import lines_in_words

TEXT = Path(__file__).with_name("traced_kernel.py")
FILE = "tests/reports/traced_kernel.py"
OVERLAP = Finding(
    kind="parallel-overlap",
    file=FILE,
    line=0,
    indices=(("block", 3), ("slot", 0)),
    tensor="out",
    region="[96:128, 0:64]",
    facts={"before": "traced_kernel.py:20", "then": "block=2", "loop": "B"},
    count=4,
)


def lines_of(*states: str) -> list[int]:
    """Lines that say that this became of them."""
    text = TEXT.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(text, 1) if line.endswith(tuple(f"  # {state}" for state in states))]


def finding(**changes: Any) -> Finding:
    """A finding at the last statement of the kernel."""
    return replace(OVERLAP, line=lines_of("executed")[-1], **changes)


def measured(of: Record, *, skip: int = 0, findings: tuple[Finding, ...] = (), text: str = "") -> Record:
    """A record with what its kernel did.

    Args:
        of: the record.
        skip: how many of the executed lines did not run in this case.
        findings: what the sanitizer found.
        text: digest of another text; empty = of the one that is here.
    """
    ran = lines_of("executed")[: len(lines_of("executed")) - skip]
    seen = {
        "traced": lines_in_words(lines_of("executed", "compiled", "traced")),
        "helped": "",
        "compiled": lines_in_words(lines_of("executed", "compiled")),
        "arcs": ">".join(map(str, (-5, *ran, -5))),
        "arms": f"{ran[2]}>{ran[3]}, {ran[2]}>{ran[4] if len(ran) > 4 else 1}",
        "compiled_arms": f"{ran[2]}>{ran[3]}",
    }
    table = {FILE: {"digest": text or digest(TEXT.read_bytes()), "lines": ""}}
    measurement = replace(
        of.measurement,
        executed={FILE: seen},
        control_flow={"B": {"1": {"traced": "0-2", "compiled": "0-1", "executed": "0"}}},
        trips={"B": [0, 4]},
        ops={"MATMUL": 7, "ADD": 12},
        findings=tuple(one.to_json() for one in findings),
        ran=table,
    )
    return replace(of, measurement=measurement)


def kernel_run() -> Run:
    """Ten cases: two with findings, one of them excused, one of another text, one that could not be replayed."""
    entries = samples.published_entries()
    excused = finding(kind="written-twice", excuse="the second pass overwrites <b>on purpose</b>")
    records = [measured(samples.record(one)) for one in entries]
    records[0] = measured(samples.record(entries[0], "FAIL", "integrity:sanitizer"), findings=(finding(), excused))
    records[1] = measured(records[1], findings=(finding(count=1), excused))
    records[2] = measured(records[2], text="0" * 16)
    records[3] = replace(
        samples.record(entries[3]),
        measurement=replace(samples.record(entries[3]).measurement, not_replayed="acc[0] is known to a real run only"),
    )
    return samples.run(entries, records)
