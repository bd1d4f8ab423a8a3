"""Cases are filtered by words, figures, verdict and suite, from the keyboard."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.tab import Tab


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 10),
        ("gqa", 2),
        ("b2 mha", 2),
        ("no such case", 0),
        ("smoke", 3),
        ("ratio>0.6", 6),
        ("ratio>0.6 ratio<=0.66", 3),
        ("cpu>=2.7 mib<1200", 2),
        ("ratio.lse>0.3 s256", 1),
        ("nothing>1", 0),
    ],
)
def test_words_and_comparisons(tab: Tab, query: str, count: int) -> None:
    """All words must fit; a figure that a case lacks fits nothing."""
    tab.visit("passing")
    tab.press("/", query)
    assert len(tab.names()) == count
    assert tab.find("#shown").text == f"{count} of 10 cases"


def test_slash_goes_to_the_filter_and_escape_clears_it(tab: Tab) -> None:
    """Two keys are enough."""
    tab.visit("passing")
    tab.press("/", "gqa")
    assert tab.find("#query").get_attribute("value") == "gqa"
    tab.press(Keys.ESCAPE)
    assert len(tab.names()) == 10


def test_nothing_fits_says_so(tab: Tab) -> None:
    """An empty table explains itself."""
    tab.visit("passing")
    assert not tab.find("#none-shown").is_displayed()
    tab.press("/", "zzz")
    assert tab.find("#none-shown").is_displayed()


def test_verdicts_are_toggles(tab: Tab) -> None:
    """Space on a verdict shows only its cases; two verdicts add up; again takes it back."""
    tab.visit("failing")
    for verdict, shown in (("FAIL", 3), ("CRASH", 4)):
        tab.focus(f"[data-chip={verdict}]")
        tab.press(Keys.SPACE)
        assert tab.find(f"[data-chip={verdict}]").get_attribute("aria-pressed") == "true"
        assert len(tab.names()) == shown
    tab.press(Keys.SPACE)
    assert len(tab.names()) == 3


def test_suite(tab: Tab) -> None:
    """Choosing a suite by its first letter shows its cases."""
    tab.visit("passing")
    tab.focus("#suite")
    tab.press("s")
    assert len(tab.names()) == 3


def test_dut(tab: Tab) -> None:
    """Where there are several DUTs, one can be chosen."""
    tab.visit("big")
    tab.focus("#dut")
    tab.press("bsa.b")
    assert tab.find("#shown").text == "334 of 1000 cases"


def test_a_number_of_the_summary_leads_to_its_cases(tab: Tab) -> None:
    """Enter on '3 FAIL' shows those three."""
    tab.visit("failing")
    tab.focus(".tiles [data-verdict=FAIL]")
    tab.press(Keys.ENTER)
    assert tab.texts("tbody.case .badge") == ["FAIL"] * 3


def test_a_bar_leads_to_its_cases(tab: Tab) -> None:
    """Enter on a bar beyond the limit shows the cases behind it."""
    tab.visit("failing")
    tab.focus(".histogram .beyond:last-of-type")
    count = int(tab.run("return document.activeElement.querySelector('text').textContent"))
    tab.press(Keys.ENTER)
    assert tab.names() == ["S256 Sparse50", "S512 Sparse70"]
    assert count == 2
