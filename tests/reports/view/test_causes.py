"""Failed cases by cause: one entry per fault, whatever else the cases show."""

from __future__ import annotations

import json
import re

from bsa.messages import catalogue
from reports import data, markdown
from reports.causes import causes
from reports.html import page
from reports.view import rows_of, view
from tests.reports import samples

SPREADS = "NaN or Inf that the inputs hold spreads into rows whose answer is finite"
SCALE = "the error grows with the logits like that of a scale stored in FP16 (1.07e-4 x logit)"
LINES = ("FWD/impl.py:7: logits = pypto.add(pypto.mul(scores, factor), gap)",)


def _location(name, cause):
    lines = LINES if cause.startswith(SPREADS) else ()
    return samples.location(cause=cause, text=f"place of {name}", suspects=lines)


def _run(*shown):
    """A run of failed cases, each with outputs of which some have a cause."""
    entries = samples.published_entries()[: len(shown)]
    records = []
    for entry, causes_of in zip(entries, shown, strict=True):
        outputs = tuple(
            samples.output(
                name,
                {"row": 9.0},
                location=samples.location(
                    cause=cause, text=f"place of {name}", suspects=LINES if "NaN" in cause else ()
                ),
            )
            for name, cause in causes_of.items()
        )
        records.append(samples.record(entry, "FAIL", "why", outputs=outputs))
    return rows_of(samples.run(entries, records))


def _said(rows):
    return [(one.text, len(one.rows), one.output) for one in causes(rows)]


def test_case_counts_for_each_fault_that_it_shows():
    """And what has no name beside a fault that has one makes no entry."""
    rows = _run(
        {"out": f"{SPREADS}; everything is wrong", "lse": SCALE},
        {"out": "everything is wrong", "lse": f"{SCALE}; all of batch 1 is wrong"},
        {"lse": SCALE},
    )
    assert _said(rows) == [(SPREADS, 1, "out"), (SCALE, 3, "lse")]
    (spreads, _) = causes(rows)
    assert (spreads.place, spreads.lines) == ("place of out", LINES)


def test_other_causes_are_entries_by_their_words():
    """Numbers aside; cases without a cause come last, together."""
    rows = _run(
        {"out": ""},
        {"out": "found = 2 x expected: doubled"},
        {"out": "found = 2.01 x expected: doubled; everything is wrong"},
        {"out": ""},
        {"out": ""},
    )
    assert _said(rows) == [("found = 2 x expected: doubled", 2, "out"), ("", 3, "out")]


def test_lines_that_a_list_leaves_out_are_counted():
    """In every report; the data has them all."""
    lines = tuple(f"FWD/impl.py:{number}: x.data_ptr()" for number in range(5))
    entries = samples.published_entries()[:1]
    location = samples.location(cause=SCALE, text="all rows", suspects=lines)
    outputs = (samples.output("out", {"row": 9.0}, location=location),)
    run = samples.run(entries, [samples.record(entries[0], "FAIL", "why", outputs=outputs)])
    (one,) = causes(rows_of(run))
    assert (one.named, one.unnamed) == (lines[:3], 2)
    assert "and 2 more" in markdown.render(view(run), messages=catalogue("en"))
    section = re.search('(?s)<section id="causes".*?</section>', page.render(view(run), messages=catalogue("en")))
    assert "and 2 more" in section[0]
    assert json.loads(data.render(view(run)))["causes"][0]["suspects"] == list(lines)


def test_deaths_have_no_cause():
    """A crash compared nothing; passes are in no entry."""
    entries = samples.published_entries()[:2]
    records = [samples.empty_record(entries[0], "CRASH", "signal 11"), samples.record(entries[1])]
    assert _said(rows_of(samples.run(entries, records))) == [("", 1, "")]
    assert causes(rows_of(samples.passing_run())) == ()
