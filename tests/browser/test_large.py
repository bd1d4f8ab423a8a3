"""A thousand cases stay quick to work with."""

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
