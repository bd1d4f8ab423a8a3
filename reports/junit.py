"""JUnit XML, for the test pages of CI servers. One test case per case of the plan, one suite per DUT."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

from reports.row import Row
from reports.view import View
from verification.record import CRASH, FAIL, FLAKY, KNOWN, MEMORY, PASS, TIMEOUT, worst
from verification.verdicts import INCOMPLETE

FAILURES = (FAIL, FLAKY)
"""Verdicts that JUnit calls failures: something was compared."""
ERRORS = (CRASH, TIMEOUT, MEMORY, *INCOMPLETE)
"""Verdicts that JUnit calls errors. A case without a verdict is one: as ``skipped`` it would look green."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(view: View) -> str:
    """The run as JUnit XML text."""
    root = ET.Element("testsuites", name=clean(view.run.plan.run_id))
    _count(root, view.rows)
    for dut in view.duts:
        rows = view.of(dut)
        suite = ET.SubElement(root, "testsuite", name=clean(dut), timestamp=view.run.plan.created)
        _count(suite, rows)
        for row in rows:
            _case(suite, row, view.run.plan.run_mode)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def clean(text: str) -> str:
    """Text without the characters that XML cannot hold; each becomes U+FFFD."""
    return _ILLEGAL.sub("\ufffd", text)


def _count(element: ET.Element, rows: tuple[Row, ...]) -> None:
    element.set("tests", str(len(rows)))
    element.set("failures", str(sum(row.verdict in FAILURES for row in rows)))
    element.set("errors", str(sum(row.verdict in ERRORS for row in rows)))
    element.set("skipped", str(sum(row.verdict == KNOWN for row in rows)))
    element.set("time", f"{math.fsum(_seconds(row) for row in rows):.3f}")


def _seconds(row: Row) -> float:
    value = row.measurement.wall_s
    return value if value is not None and math.isfinite(value) else 0.0


def _case(suite: ET.Element, row: Row, run_mode: str) -> None:
    case = ET.SubElement(suite, "testcase", classname=clean(row.dut), name=clean(row.name), time=f"{_seconds(row):.3f}")
    properties = ET.SubElement(case, "properties")
    for name, value in _properties(row, run_mode):
        ET.SubElement(properties, "property", name=name, value=clean(value))
    if row.verdict == KNOWN:
        ET.SubElement(case, "skipped", message=clean(f"{row.verdict}: {row.final.reason}"))
    elif row.verdict != PASS:
        kind = "error" if row.verdict in ERRORS else "failure"
        problem = ET.SubElement(case, kind, type=row.verdict, message=clean(row.final.reason or row.verdict))
        problem.text = clean("\n".join([*_evidence(row), f"replay: {row.replay}"]))
    if row.record is not None and row.record.stderr_tail:
        ET.SubElement(case, "system-err").text = clean(row.record.stderr_tail)


def _properties(row: Row, run_mode: str) -> list[tuple[str, str]]:
    found = [
        ("case_id", row.case_id),
        ("seed", str(row.entry.case.seed)),
        ("replay", row.replay),
        ("verdict", row.verdict),
        ("suites", ",".join(row.entry.suites)),
        ("run_mode", run_mode),
        ("attempts", str(row.final.attempts)),
    ]
    if row.ratio is not None:
        found.append(("error_over_limit", f"{row.ratio:.6g}"))
    if row.synthetic:
        found.append(("synthetic", "true"))
    return found


def _evidence(row: Row) -> list[str]:
    lines = []
    for output in row.outputs:
        failed = [check for check in output.checks if not check.passed]
        if failed:
            ratio = worst(check.ratio for check in failed)
            lines.append(f"{output.name}: {', '.join(check.rule for check in failed)}; error/limit {ratio:.6g}")
        if output.location is not None:
            lines.append(f"{output.name}: {output.location.text}")
            lines += [f"{output.name}: {output.location.cause}"] if output.location.cause else []
    integrity = row.record.integrity if row.record else ()
    return lines + [f"{check.rule}: {check.detail}" for check in integrity if not check.passed]
