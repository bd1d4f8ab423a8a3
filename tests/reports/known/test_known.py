"""Which entry of the ledger a known failure belongs to, and what becomes of the others."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reports import data
from reports.known import EXPIRED, HOLDS, IDLE, UNNAMED
from reports.view import view
from tests.reports import samples


def test_each_entry_has_its_state_and_its_cases() -> None:
    """In the order of the ledger."""
    found = view(samples.failing_run()).known
    assert [(one.entry, one.state) for one in found] == list(zip(samples.LEDGER, (HOLDS, IDLE, EXPIRED), strict=True))
    assert [row.name for row in found[0].rows] == [samples.published_entries()[7].case.name]
    assert found[1].rows == found[2].rows == ()


def test_a_known_failure_without_an_entry_is_listed_all_the_same() -> None:
    """A plan that lost its ledger does not hide what it excused."""
    run = samples.failing_run()
    (found,) = view(replace(run, plan=replace(run.plan, known=()))).known
    assert (found.entry, found.state, len(found.rows)) == (None, UNNAMED, 1)
    assert found.reason == samples.KNOWN_REASON


def test_an_entry_that_is_no_case_of_its_day_has_not_expired() -> None:
    """The last day counts."""
    run = samples.failing_run()
    last = replace(samples.LEDGER[2], expires=samples.FINISHED[:10])
    (found,) = (one for one in view(replace(run, plan=replace(run.plan, known=(last,)))).known if one.entry)
    assert found.state == IDLE


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_shows_them_in_both_languages(language: str) -> None:
    """Every word of the section is there."""
    from bsa.messages import catalogue
    from reports.html import render

    page = render(view(samples.failing_run()), messages=catalogue(language))
    said = catalogue(language)
    for word in ("title", "intro", "author", "date", "expires", "idle", "expired"):
        assert said.text(f"report.known.{word}") in page


def test_programs_get_them_too() -> None:
    """report.json holds the entries, their states and their cases."""
    found = json.loads(data.render(view(samples.failing_run())))["known"]
    assert [one["state"] for one in found] == [HOLDS, IDLE, EXPIRED]
    assert found[0]["entry"]["author"] == "Li Wei"
    assert found[0]["cases"] == [samples.published_entries()[7].case_id]
