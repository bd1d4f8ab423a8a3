"""The page, put together from templates, one style sheet, one script and drawings."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from bsa.messages import Catalogue, current, translate
from reports import numbers
from reports.coverage import counted, open_bins, percent, reasons_of
from reports.html import chart, grid, heatmap
from reports.html.labels import Labels
from reports.notes import scope, warnings
from reports.row import Row
from reports.source import NEVER
from reports.speed import longest, model_error, model_factor, parts, slowest, timed
from reports.standards import panels
from reports.view import View
from verification.coverage.measure import STATES
from verification.shadow.columns import COLUMNS, COMPILED, EXECUTED, TRACED
from verification.shadow.words import lines_in_words

MARKS = {EXECUTED: "✓", COMPILED: "◐", TRACED: "○", NEVER: "·"}
"""What stands beside a line of a kernel, by its state: colour alone tells not everybody."""
SCRIPT_STRINGS = "report.script."
"""Messages that the script needs begin with this."""


def render(view: View, *, messages: Catalogue | None = None) -> str:
    """The whole page as text.

    Args:
        view: the run to show.
        messages: the language; the one of this process if None.
    """
    said = messages or current()
    script = _resource("page.js")
    template = _environment().get_template("index.html")
    return template.render(
        view=view,
        labels=Labels(said),
        t=said.text,
        tn=said.count,
        find=said.find,
        said=lambda text: translate(text, said),
        language="zh-CN" if said.language == "zh" else said.language,
        style=Markup(_style()),  # noqa: S704 - our own files
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        strings=embed(
            {k.removeprefix(SCRIPT_STRINGS): v for k, v in said.messages.items() if k.startswith(SCRIPT_STRINGS)}
        ),
        records=embed(_records(view)),
        filter_values=filter_values,
        many_duts=len(view.duts) > 1,
        warnings=warnings(view, said),
        scope=scope(view, said),
        rules=_rules(view),
        panels=panels(view.opinions),
        judged=tuple(dict.fromkeys((one.dut, one.output) for one in view.opinions)),
        model_error=model_error(view.rows),
        slowest=slowest(view.rows),
        longest=longest(slowest(view.rows)),
        timed=timed(view.rows),
    )


def filter_values(row: Row) -> str:
    """The numbers of a row that the filter can compare (``ratio>0.5``), as JSON; infinity and NaN are 1e999."""
    measured = row.measurement
    values: dict[str, float | None] = {
        "ratio": row.ratio,
        **{f"ratio.{output.name.lower()}": output.ratio for output in row.outputs},
        "us": measured.model_us,
        "wall": measured.wall_s,
        "cpu": measured.cpu_s,
        "mib": None if measured.peak_bytes is None else measured.peak_bytes / 2**20,
    }
    shown = {k: (v if numbers.finite(v) else 1e308) for k, v in values.items() if v is not None}
    return json.dumps(shown, sort_keys=True)


def measured_pairs(row: Row) -> list[tuple[str, str]]:
    """(key of ``report.measure.*``, text) of everything that was observed of a case."""
    record, measured = row.record, row.measurement
    if record is None:
        return []
    observed: list[tuple[str, Any, Callable[[Any], str]]] = [
        ("model_us", measured.model_us, numbers.microseconds),
        ("published_us", row.published_us, numbers.microseconds),
        ("wall_s", measured.wall_s, numbers.seconds),
        ("cpu_s", measured.cpu_s, numbers.seconds),
        ("compile_s", measured.compile_s, numbers.seconds),
        ("interpret_s", measured.interpret_s, numbers.seconds),
        ("model_s", measured.model_s, numbers.seconds),
        ("peak_bytes", measured.peak_bytes, numbers.memory),
        ("utilisation", measured.utilisation, numbers.percent),
        ("tasks", measured.tasks, str),
        ("paths", measured.paths or None, ", ".join),
        ("stages", measured.stages or None, ", ".join),
        ("pass_filter", measured.pass_filter, str),
        ("signal", record.signal, str),
        ("exit_code", record.exit_code, str),
        ("artefacts", record.artefacts or None, str),
        ("started", record.started, str),
    ]
    return [(key, write(value)) for key, value, write in observed if value is not None]


def embed(data: Any) -> Markup:
    """JSON that can stand in a script element whatever its strings hold."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing that ends the element is left


def count_of(found: Callable[[str], Collection[Any]]) -> Callable[[str], int]:
    """How many there are in a column.

    Args:
        found: what is in one.
    """
    return lambda column: len(found(column))


def _rules(view: View) -> tuple[str, ...]:
    """The rules that the records hold, without what follows a colon, in order of first appearance."""
    return tuple(dict.fromkeys(check.rule.partition(":")[0] for row in view.rows for _, check in row.checks))


def _records(view: View) -> Mapping[str, Any]:
    return {f"{r.case_id}:{r.run_id}:{r.attempt}": r.to_json() for row in view.rows for r in row.attempts}


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports.html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        short=numbers.short,
        seconds=numbers.seconds,
        us=numbers.microseconds,
        memory=numbers.memory,
        moment=numbers.moment,
        percent=numbers.percent,
        count_of=count_of,
        ranges=lines_in_words,
    )
    environment.globals.update(
        coverage_counts=counted,
        coverage_grid=grid.draw,
        coverage_levels=grid.LEVEL_WORDS,
        coverage_open=open_bins,
        coverage_percent=percent,
        coverage_reasons=reasons_of,
        coverage_states=STATES,
        heatmap=heatmap.draw,
        histogram=chart.histogram,
        level_words=heatmap.LEVEL_WORDS,
        levels_used=heatmap.levels_used,
        measured_pairs=measured_pairs,
        meter=chart.meter,
        model_factor=model_factor,
        kernel_columns=COLUMNS,
        kernel_marks=MARKS,
        kernel_states=tuple(MARKS),
        parts=parts,
        sort_value=sort_value,
    )
    return environment


def sort_value(value: float | None) -> str:
    """A number as the script sorts it: empty = missing, NaN above everything."""
    if value is None:
        return ""
    return repr(float(value)) if numbers.finite(value) else ("-1e999" if value == -numbers.INFINITY else "1e999")


def _style() -> str:
    """The style sheet; the dark colours apply on screens only, by the system's wish or the reader's choice."""
    dark = _resource("dark.css")
    return (
        _resource("page.css")
        + "@media screen {\n"
        + f':root[data-theme="dark"] {{\n{dark}}}\n'
        + f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{\n{dark}}} }}\n}}'
    )


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
