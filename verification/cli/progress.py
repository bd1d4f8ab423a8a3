"""The live display of a run: a bar on a terminal, plain lines elsewhere. First red is printed when it happens."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from bsa.messages import current, retell, text
from verification.record import KNOWN, PASS, Record

STYLES = {PASS: "green", KNOWN: "yellow", "INFRA": "yellow", "NOT_RUN": "yellow"}
"""Colour of a verdict; the others are red."""

WIDE, MEDIUM = 100, 76
"""Columns of a terminal from which the bar is long, and from which there is one."""


class Display:
    """Tells of progress on standard output.

    Args:
        stream: where to write; standard output by default.
        verbose: whether passing cases get a line of their own on a terminal, too.
    """

    def __init__(self, *, stream: TextIO | None = None, verbose: bool = False) -> None:
        self._console = Console(file=stream or sys.stdout, highlight=False, soft_wrap=True, emoji=False)
        self._live = self._console.file.isatty() and not self._console.is_dumb_terminal
        self._verbose = verbose or not self._live
        self._total = self._done = self._passed = self._known = self._failed = 0
        self._seen: set[str] = set()
        self._begin = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def planned(self, total: int, done: int) -> None:
        """So many cases will run in all, so many are done already."""
        self._total, self._done = total, done
        self._begin = time.monotonic()
        if self._live:
            bar = [BarColumn(bar_width=width)] if (width := _bar_width(self._console.width)) else []
            self._bar = Progress(*bar, TextColumn("{task.description}"), console=self._console, transient=True)
            self._task = self._bar.add_task(self._status(), total=total, completed=done)
            self._bar.start()

    def recorded(self, record: Record) -> None:
        """A record is on the disk: a line for what is worth one, and the bar moved on."""
        self._count(record)
        if self._verbose or record.verdict != PASS:
            self._console.print(case_line(record, self._done, self._total))
        if record.verdict not in (PASS, KNOWN):
            self._console.print(failure_lines(record))
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, description=self._status())

    def close(self) -> None:
        """Ends the live display."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _count(self, record: Record) -> None:
        if record.case_id in self._seen or record.verdict == "INFRA":
            return
        self._seen.add(record.case_id)
        self._done += 1
        if record.verdict == PASS:
            self._passed += 1
        elif record.verdict == KNOWN:
            self._known += 1
        else:
            self._failed += 1

    def _status(self) -> str:
        left = self._total - self._done
        spent = time.monotonic() - self._begin
        parts = [text("cli.summary.closing", passed=self._passed, failed=self._failed)]
        parts += [current().count("report.summary.known", self._known)] if self._known else []
        parts += [text("cli.progress.left", left=left)]
        if self._seen and left:
            parts += [text("cli.progress.time", time=duration(spent / len(self._seen) * left))]
        return text("cli.summary.and").join(parts)


def _bar_width(columns: int) -> int:
    """Cells of the bar; 0 where the words need the whole line."""
    if columns >= WIDE:
        return 24
    return 12 if columns >= MEDIUM else 0


def duration(seconds: float) -> str:
    """Seconds as ``45 s``, ``2:05`` or ``1:02:05``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def case_line(record: Record, done: int, total: int) -> Text:
    """One line for one record: place, verdict, name, error ÷ limit, seconds."""
    width = len(str(total))
    line = Text(f"[{done:>{width}}/{total}] ")
    line.append(f"{record.verdict:<8}", style=STYLES.get(record.verdict, "red"))
    name = record.case.get("name") or record.case_id
    line.append(f" {record.case['dut']} {name}")
    if record.outputs:
        line.append(f"  {text('cli.progress.of_limit', ratio=f'{record.ratio:.2f}')}", style="dim")
    if record.measurement.wall_s is not None:
        line.append(f"  {record.measurement.wall_s:.1f} s", style="dim")
    return line


def failure_lines(record: Record) -> Text:
    """What a failed case says of itself: reason, place, and how to run it again."""
    lines = [f"    {retell(record.reason)}"]
    lines += [
        f"    {output.name}: {retell(output.location.text)}"
        + (f" - {retell(output.location.cause)}" if output.location.cause else "")
        for output in record.outputs
        if not output.passed and output.location is not None
    ]
    lines.append(f"    {record.replay}")
    return Text("\n".join(lines))
