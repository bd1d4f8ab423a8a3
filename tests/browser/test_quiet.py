"""A page says nothing to the console, asks for nothing, and runs nothing that a record holds."""

from __future__ import annotations

import pytest

from tests.browser.conftest import KINDS
from tests.browser.tab import Tab


@pytest.mark.parametrize("kind", [*KINDS, "failing-zh"])
def test_no_console_message_and_no_outside_request(tab: Tab, kind: str) -> None:
    """Opening a page and every case of it loads the page, and nothing else."""
    tab.visit(kind)
    tab.run("[...document.querySelectorAll('.open')].slice(0, 50).forEach(one => one.click())")
    tab.run("[...document.querySelectorAll('details')].slice(0, 50).forEach(one => { one.open = true })")
    assert tab.console() == []
    outside = [url for url in tab.requests() if not url.startswith(("file:", "data:", "about:"))]
    assert outside == []


def test_nothing_of_a_record_runs(tab: Tab) -> None:
    """Hostile names and messages are text, in the page and in opened details."""
    tab.visit("injection")
    tab.run("document.querySelector('.open').click()")
    assert tab.run("return window.owned === undefined") is True
    assert "<script>window.owned=1</script>" in tab.find("tbody.case .detail").text


def test_policy_stops_a_script_and_a_request(tab: Tab) -> None:
    """Even if markup got in, the browser would neither run it nor load for it."""
    tab.visit("passing")
    tab.run(
        "const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s);"
        "const i = new Image(); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i);"
    )
    assert tab.run("return window.owned === undefined") is True
    assert any("Content Security Policy" in message for message in tab.console())
