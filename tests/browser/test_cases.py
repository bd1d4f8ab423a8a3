"""A case opens in place and shows its evidence, its record and its command."""

from __future__ import annotations

import json

from selenium.webdriver.common.keys import Keys

from tests.browser.tab import Tab
from tests.reports import samples

FIRST = samples.published_entries()[0]


def test_enter_opens_and_closes(tab: Tab) -> None:
    """A passed case shows its details only when asked, and says whether it is open."""
    tab.visit("passing")
    tab.focus(".open")
    assert tab.texts(".detail") == []
    tab.press(Keys.ENTER)
    assert tab.find(".open").get_attribute("aria-expanded") == "true"
    assert f"bsa-verify replay {FIRST.case_id}" in tab.texts(".detail")[0]
    tab.press(Keys.ENTER)
    assert tab.find(".open").get_attribute("aria-expanded") == "false"
    assert tab.texts(".detail") == []


def test_arrows_go_from_case_to_case(tab: Tab) -> None:
    """Down, End, up, Home; filtered cases are passed over."""
    tab.visit("passing")
    names = tab.names()
    tab.press("/", Keys.ARROW_DOWN)
    assert tab.focused() == names[0]
    seen = []
    for key in (Keys.ARROW_DOWN, Keys.END, Keys.ARROW_UP, Keys.HOME):
        tab.press(key)
        seen.append(tab.focused())
    assert seen == [names[1], names[-1], names[-2], names[0]]
    tab.press("/", "gqa", Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert tab.focused() == "GQA Hq32"


def test_a_link_opens_its_case(tab: Tab) -> None:
    """An address with an anchor opens the case, puts it in view and gives it the focus."""
    tab.visit("failing", f"#case-{samples.published_entries()[8].case_id}")
    assert tab.focused() == "B2 MHA S1024"
    assert tab.run("return document.querySelectorAll('.case.opened').length") == 1


def test_a_link_to_a_filtered_case_clears_the_filter(tab: Tab) -> None:
    """A link always shows what it leads to."""
    tab.visit("failing")
    tab.press("/", "gqa", Keys.ESCAPE, "gqa")
    tab.run("document.querySelector('.bucket .links a').click()")
    tab.settle()
    assert tab.focused() == "S256 Sparse50"
    assert len(tab.names()) == 10


def test_the_same_link_works_twice(tab: Tab) -> None:
    """A case that was closed again is opened again."""
    tab.visit("failing", f"#case-{FIRST.case_id}")
    tab.press(Keys.ENTER)
    assert tab.texts(".case.opened .open") == []
    tab.run("document.querySelector(`.bucket a[href='${location.hash}']`).click()")
    assert tab.texts(".case.opened .open") == ["S256 Sparse50"]


def test_the_record_is_shown_whole(tab: Tab) -> None:
    """The JSON of each attempt is the record as it was written."""
    tab.visit("passing", f"#case-{FIRST.case_id}")
    tab.focus(".case.opened .json summary")
    tab.press(Keys.ENTER)
    tab.settle()  # the toggle event comes after the key
    (shown,) = tab.texts(".case.opened .json pre")
    assert json.loads(shown) == samples.passing_run().records[0].to_json()


def test_every_attempt_has_its_record(tab: Tab) -> None:
    """A flaky case shows both."""
    entry = samples.published_entries()[6]
    tab.visit("failing", f"#case-{entry.case_id}")
    assert tab.texts(".case.opened .json summary") == ["Record of attempt 1 (PASS)", "Record of attempt 2 (FAIL)"]


def test_without_scripts_failures_can_be_read(tab: Tab) -> None:
    """Where a server forbids scripts, the summary, the buckets and the linked failure are there."""
    tab.allow_scripts(False)
    tab.visit("failing", f"#case-{FIRST.case_id}")
    assert tab.find(f"#detail-{FIRST.case_id}").is_displayed()
    assert "every value is doubled" in tab.find(f"#detail-{FIRST.case_id}").text
    assert not tab.find(".filter").is_displayed()
    assert "Without scripts" in tab.find("#cases").text
