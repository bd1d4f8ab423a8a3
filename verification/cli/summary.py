"""The lines that end a run on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from bsa.messages import current, retell, text
from reports.causes import Cause, causes
from reports.view import rows_of
from verification.cli.progress import STYLES
from verification.cli.results import resuming
from verification.comparison import compare_runs
from verification.record import KNOWN, PASS
from verification.runs import Run
from verification.verdicts import FAILED, INCOMPLETE, Final, counts, final

SHOWN = 8
"""How many cases that did not pass are named again at the end."""
CAUSES = 12
"""How many causes are listed."""


def print_summary(run: Run, *, interrupted: bool = False, baseline: Run | None = None) -> None:
    """Prints what came out: a line per suite, what did not pass, where the report is, the closing count."""
    console = _console()
    finals = final(run.plan, run.records)
    console.print()
    _print_suites(console, run, finals)
    _print_causes(console, causes(rows_of(run)))
    open_cases = [one for one in finals.values() if one.verdict in FAILED + INCOMPLETE]
    for one in open_cases[:SHOWN]:
        console.print(f"  [{STYLES.get(one.verdict, 'red')}]{one.verdict}[/] ", end="")
        console.print(f"{_name(run, one)}: {retell(one.reason)}", markup=False)
    if len(open_cases) > SHOWN:
        console.print(text("cli.summary.more", count=len(open_cases) - SHOWN))
    for one in finals.values():
        if one.verdict == KNOWN:
            console.print(f"  [{STYLES[KNOWN]}]{KNOWN}[/] ", end="")
            console.print(f"{_name(run, one)}: {retell(one.reason)}", markup=False)
    if baseline is not None:
        console.print(compare_runs(baseline, run).to_text(), markup=False)
    if interrupted or any(one.attempts == 0 for one in finals.values()):
        console.print(text("cli.summary.resume", command=resuming(run.path)), markup=False)
    console.print(text("cli.summary.report", path=run.path / "index.html"), markup=False)
    console.print(closing_line(finals), markup=False)


def _print_causes(console: Console, found: Sequence[Cause]) -> None:
    """A few lines per cause, where several cases failed and something is known of why."""
    if sum(len(one.rows) for one in found) < 2 or not any(one.text for one in found):
        return
    console.print(text("cli.summary.causes"))
    for one in found[:CAUSES]:
        said = retell(one.text) or text("report.causes.none")
        console.print(f"  {current().count('report.failures.cases', len(one.rows))}: {said}", markup=False)
        first = f"{one.rows[0].dut} {one.rows[0].name}"
        place = f"{one.output}: {retell(one.place)}" if one.place else ""
        console.print(text("cli.summary.first", case=first, place=place).rstrip(), markup=False)
        for line in one.named:
            console.print(text("cli.summary.suspect", line=line), markup=False)
        if one.unnamed:
            console.print(text("cli.summary.more_suspects", n=one.unnamed))
    if len(found) > CAUSES:
        console.print(text("cli.summary.more_causes", n=len(found) - CAUSES))


def print_counts(run: Run) -> None:
    """Prints the counts alone: a line per suite and the closing one."""
    console, finals = _console(), final(run.plan, run.records)
    _print_suites(console, run, finals)
    console.print(closing_line(finals), markup=False)


def _console() -> Console:
    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)


def _print_suites(console: Console, run: Run, finals: dict[str, Final]) -> None:
    for suite in dict.fromkeys(name for entry in run.plan.entries for name in entry.suites):
        console.print(suite_line(run, finals, suite), markup=False)


def suite_line(run: Run, finals: dict[str, Final], suite: str) -> str:
    """``published: 17/17, 4 multi-block``."""
    ids = [entry.case_id for entry in run.plan.entries if suite in entry.suites]
    by_verdict = counts(finals[case_id] for case_id in ids)
    records = [one.record for case_id in ids if (one := finals[case_id]).record is not None]
    multi = sum(bool(record.facts.get("multi_block")) for record in records if record is not None)
    passed, known = by_verdict.get(PASS, 0), by_verdict.get(KNOWN, 0)
    line = text("cli.summary.suite", suite=suite, passed=passed, total=len(ids), multi=multi)
    return f"{line}, {_known(known)}" if known else line


def closing_line(finals: dict[str, Final]) -> str:
    """``17 passed, 0 failed`` with what else there is."""
    by_verdict = counts(finals.values())
    passed, known = by_verdict.get(PASS, 0), by_verdict.get(KNOWN, 0)
    failed = sum(by_verdict.get(verdict, 0) for verdict in FAILED)
    open_ = sum(by_verdict.get(verdict, 0) for verdict in INCOMPLETE)
    parts = [text("cli.summary.closing", passed=passed, failed=failed)]
    parts += [_known(known)] if known else []
    parts += [text("cli.summary.open", left=open_)] if open_ else []
    return text("cli.summary.and").join(parts)


def _known(number: int) -> str:
    """Known failures, in the words of the report."""
    return current().count("report.summary.known", number)


def _name(run: Run, one: Final) -> str:
    case = run.plan.entry(one.case_id).case
    return f"{case.dut} {case.label}"
