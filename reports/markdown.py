"""The report as Markdown, for a pull request: short enough for a comment, safe whatever the records hold."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from bsa.messages import Catalogue, current, translate
from reports.bucket import Bucket
from reports.causes import Cause
from reports.notes import scope, warnings
from reports.numbers import badness, microseconds, short
from reports.row import Row
from reports.view import View
from verification.record import KNOWN
from verification.shadow.columns import COMPILED, EXECUTED, TRACED

MOST_ROWS = 30
"""Rows of a table; the page has all of them."""
MOST_NEAREST = 5
"""Cases listed as nearest to the limit."""
LONGEST_CELL = 200
"""Characters of a cell that a record fills."""


def render(view: View, *, messages: Catalogue | None = None) -> str:
    """The report as Markdown text.

    Args:
        view: the run to show.
        messages: the language; the one of this process if None.
    """
    said = messages or current()
    parts = [_head(view, said), _suites(view, said), _causes(view.causes, said), _failures(view.buckets, said)]
    parts += [_known(view, said), _nearest(view, said), _kernels(view, said)]
    parts += [_precision(view, said), _ledger(view, said), _environment(view, said)]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """Text from a record as inert Markdown on one line: no markup, no HTML, no mention, no cell border."""
    text = _one_line(text)
    if len(text) > LONGEST_CELL:
        text = text[: LONGEST_CELL - 1] + "…"
    text = re.sub(r"([\\`*_{}\[\]()#+!|~<>&-])", lambda found: f"&#{ord(found[1])};", text)
    return text.replace("@", "&#64;").replace("://", "&#58;//")


def code(text: str) -> str:
    """Text as inline code that survives tables and any content."""
    inert = html.escape(_one_line(text), quote=False).replace("|", "&#124;")
    return f"<code>{inert}</code>"


def _one_line(text: str) -> str:
    """Text on one line, its control characters visible as U+FFFD."""
    return re.sub(r"[\x00-\x1f\x7f]", "\ufffd", re.sub(r"\s+", " ", text).strip())


def table(header: Sequence[str], rows: Iterable[Sequence[str]], said: Catalogue) -> str:
    """A Markdown table, cut after ``MOST_ROWS``; empty without rows."""
    found = list(rows)
    if not found:
        return ""
    lines = [_line(header), _line(["---"] * len(header)), *(_line(row) for row in found[:MOST_ROWS])]
    if len(found) > MOST_ROWS:
        lines += ["", said.text("report.markdown.cut", n=len(found) - MOST_ROWS)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _head(view: View, said: Catalogue) -> str:
    summary, plan = view.summary, view.run.plan
    share = said.text(
        "report.summary.share",
        passed=summary.total.passed,
        total=summary.total.total,
        multi=summary.total.multi_block,
    )
    counted = " · ".join(f"{number} {verdict}" for verdict, number in summary.counts.items())
    tree = code(view.commit[:12] or said.text("report.unknown"))
    tree += f" {said.text('report.summary.dirty_mark')}" if view.dirty else ""
    lines = [
        f"## {said.text('report.summary.question')} {said.text(f'report.summary.{summary.answer}', **summary.numbers)}",
        f"**{share}**" + (f" — {counted}" if counted else ""),
        f"{code(plan.run_id)} · {code(plan.run_mode)} · {tree} · {view.finished}",
    ]
    return "\n\n".join(lines + [f"> {note}" for note in _notes(view, said)])


def _notes(view: View, said: Catalogue) -> list[str]:
    notes = [*warnings(view, said), scope(view, said)]
    if view.run.plan.run_mode == "sim":
        notes.append(said.text("report.note.sim"))
    return [escape(note) for note in notes if note]


def _suites(view: View, said: Catalogue) -> str:
    if len(view.summary.suites) < 2:
        return ""
    rows = (
        (escape(s.name), said.text("report.summary.share_short", passed=s.passed, total=s.total, multi=s.multi_block))
        for s in view.summary.suites
    )
    return table((said.text("report.markdown.suite"), said.text("report.markdown.verdict")), rows, said)


def _known(view: View, said: Catalogue) -> str:
    """Known failures, apart from those that count."""
    header = [said.text(f"report.markdown.{name}") for name in ("known", "what", "replay")]
    rows = [
        (escape(row.name), escape(translate(row.final.reason, said)), code(row.replay))
        for row in view.rows
        if row.final.verdict == KNOWN
    ]
    return table(header, rows, said)


def _causes(found: Sequence[Cause], said: Catalogue) -> str:
    if not any(one.text for one in found):
        return ""
    header = [said.text(f"report.causes.{name}") for name in ("cases", "cause", "first", "lines")]
    rows = (
        (
            str(len(one.rows)),
            escape(translate(one.text, said) or said.text("report.causes.none")),
            escape(f"{one.rows[0].dut} {one.rows[0].name}: {one.output} {translate(one.place, said)}"),
            "<br>".join([*map(code, one.named), *_unnamed(one, said)]),
        )
        for one in found
    )
    return f"### {said.text('report.causes.title')}\n\n{table(header, rows, said)}"


def _unnamed(one: Cause, said: Catalogue) -> list[str]:
    return [said.text("report.failures.more", n=one.unnamed)] if one.unnamed else []


def _failures(found: Sequence[Bucket], said: Catalogue) -> str:
    if not found:
        return ""
    header = [said.text(f"report.markdown.{name}") for name in ("verdict", "cases", "what", "example", "replay")]
    rows = (
        (
            bucket.signature.verdict,
            str(len(bucket.rows)),
            escape(" — ".join(dict.fromkeys(filter(None, (bucket.signature.where, translate(bucket.title, said)))))),
            escape(bucket.rows[0].name),
            code(bucket.rows[0].replay),
        )
        for bucket in found
    )
    return f"### {said.text('report.failures.title')}\n\n{table(header, rows, said)}"


def _nearest(view: View, said: Catalogue) -> str:
    compared = [row for row in view.rows if row.passed and row.ratio is not None and row.worst_check]
    compared.sort(key=lambda row: badness(row.ratio or 0.0), reverse=True)
    header = [said.text(f"report.column.{name}") for name in ("case", "ratio", "worst")]
    rows = [(_named(row, view), short(row.ratio), _worst(row)) for row in compared[:MOST_NEAREST]]
    return f"### {said.text('report.markdown.nearest')}\n\n{table(header, rows, said)}" if rows else ""


def _named(row: Row, view: View) -> str:
    """A case's name, after that of its DUT where there are several."""
    return escape(f"{row.dut} {row.name}" if len(view.duts) > 1 else row.name)


def _worst(row: Row) -> str:
    worst = row.worst_check
    return escape(f"{worst[0]} · {worst[1].rule}") if worst else ""


def _kernels(view: View, said: Catalogue) -> str:
    """What was executed of each DUT's kernels, and what the sanitizer found in them."""
    if not view.kernels:
        return ""
    shares, found = [], []
    for one in view.kernels:
        head = said.count(
            "report.kernels.head",
            one.cases,
            **{name: one.lines(name) for name in (EXECUTED, TRACED)},
            arms=one.branches(EXECUTED),
            all_arms=one.branches(TRACED),
            paths=one.paths(EXECUTED),
            all_paths=one.paths(COMPILED),
        )
        missing = [f"{code(file.name)}: {file.missing}" for file in one.files if file.missing]
        notes = [said.text("report.kernels.not_replayed", reason=reason) for reason in one.not_replayed]
        shares.append((escape(one.dut), "<br>".join([head, *map(escape, notes)]), "<br>".join(missing) or "–"))
        for row in one.findings:
            place = code(f"{row.finding.file}:{row.finding.line}")
            excuse = f" {said.text('report.kernels.excused')} {escape(row.finding.excuse)}" if row.excused else ""
            found.append((code(row.finding.kind), place, escape(row.finding.said(said.text)) + excuse))
    columns = [said.text(f"report.kernels.{name}") for name in ("dut", "share_of", "missing_lines")]
    parts = [f"### {said.text('report.kernels.title')}", table(columns, shares, said)]
    if found:
        header = [said.text(f"report.kernels.{name}") for name in ("kind", "place", "findings")]
        parts.append(table(header, found, said))
    return "\n\n".join(parts)


def _precision(view: View, said: Catalogue) -> str:
    header = [
        said.text(f"report.column.{name}")
        for name in ("verdict", "case", "output", "ratio", "max_error", "published", "sim", "published_us")
    ]
    rows = [
        (
            row.verdict,
            _named(row, view),
            escape(output.name),
            short(output.ratio),
            short(output.max_error),
            short(row.published_maximum(output.name)),
            microseconds(row.measurement.model_us),
            microseconds(row.published_us),
        )
        for row in view.rows
        for output in row.outputs
    ]
    return _folded(said.text("report.precision.title"), table(header, rows, said))


def _ledger(view: View, said: Catalogue) -> str:
    header = [said.text(f"report.column.{name}") for name in ("blind", "card")]
    nothing = said.text("report.fidelity.nothing")
    rows = [(said.find(f"fidelity.{b.key}.title", b.key), escape(b.card) or nothing) for b in view.ledger]
    return _folded(said.text("report.fidelity.title"), table(header, rows, said))


def _environment(view: View, said: Catalogue) -> str:
    lines = [f"- {escape(said.find(f'report.environment.field.{n}', n))}: {code(v)}" for n, v in view.environment]
    return _folded(said.text("report.environment.title"), "\n".join(lines))


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>" if body else ""
