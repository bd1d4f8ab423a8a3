"""A thousand cases stay quick to work with, and links lead where they say."""

from __future__ import annotations

import pytest

from tests.browser.tab import Tab

MOST_SECONDS = 2.0
"""Processor time of the page's thread for one action, layout included."""

ACTIONS = {
    "sort": "document.querySelectorAll('#case-table .sort')[4].click()",
    "filter": "const q = document.querySelector('#query'); q.value = 'ratio>0.7'; q.dispatchEvent(new Event('input'))",
    "open": "document.querySelectorAll('.open')[700].click()",
}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_is_quick(tab: Tab, action: str) -> None:
    """Sorting, filtering and opening among 1000 cases."""
    tab.command("Performance.disable")
    tab.command("Performance.enable", timeDomain="threadTicks")
    tab.visit("big")

    def spent() -> float:
        metrics = tab.command("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    before = spent()
    assert tab.run(f"{ACTIONS[action]}; return document.body.offsetHeight") > 0
    assert spent() - before < MOST_SECONDS


@pytest.mark.parametrize("from_outside", [False, True])
def test_every_link_of_the_summary_leads_to_its_section(tab: Tab, from_outside: bool) -> None:
    """Also across long sections that have not been laid out before; each from a page that was just opened."""
    tab.visit("big")
    anchors = [one.get_attribute("href").partition("#")[2] for one in tab.driver.find_elements("css selector", "nav a")]
    assert len(anchors) > 5
    for anchor in anchors:
        tab.visit("big", f"#{anchor}" if from_outside else "")
        if not from_outside:
            tab.find(f"nav a[href='#{anchor}']").click()
            tab.settle()
        place = "return document.getElementById(arguments[0]).getBoundingClientRect()"
        end = "return document.documentElement.scrollHeight - scrollY - innerHeight"
        top, left = tab.run(f"{place}.top", anchor), tab.run(end)
        assert 0 <= top < 100 or (top >= 0 and left <= 1), (anchor, top, left)
