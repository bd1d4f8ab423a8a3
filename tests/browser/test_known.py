"""Known failures have a section of their own: why, who answers for it, until when, and which cases."""

from __future__ import annotations

from tests.browser.tab import Tab
from tests.reports import samples

HOLDS, IDLE, EXPIRED = samples.LEDGER
CASE = samples.published_entries()[7]


def test_every_entry_is_shown_with_who_answers_until_when(tab: Tab) -> None:
    """Reason, subject, author, both dates, in the order of the ledger."""
    tab.visit("failing")
    shown = tab.texts("#known article")
    assert len(shown) == len(samples.LEDGER)
    for text, entry in zip(shown, samples.LEDGER, strict=True):
        for word in (entry.reason, entry.subject, entry.author, entry.date, entry.expires):
            assert word in text


def test_the_cases_of_an_entry_are_linked(tab: Tab) -> None:
    """A click opens the case that fails as the entry says; the other entries say why they have none."""
    tab.visit("failing")
    holds, idle, expired = tab.texts("#known article")
    assert (CASE.case.name in holds, "1 case" in holds) == (True, True)
    assert "No case of this run failed so." in idle
    assert "It has expired" in expired
    tab.run("document.querySelector('#known .links a').click()")
    tab.settle()
    assert tab.focused() == CASE.case.name


def test_it_is_apart_from_what_did_not_pass(tab: Tab) -> None:
    """The known case is in no bucket of failures, and the section can be reached from the top."""
    tab.visit("failing")
    assert CASE.case.name not in " ".join(tab.texts("#failures .links a"))
    assert "Known failures" in tab.texts("nav a")


def test_without_a_ledger_there_is_no_section(tab: Tab) -> None:
    """Nothing empty."""
    tab.visit("passing")
    assert tab.texts("#known") == []
    assert "Known failures" not in tab.texts("nav a")
