"""Light and dark, wide and narrow, screen and paper."""

from __future__ import annotations

import base64

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.tab import Tab

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(16, 20, 25)"
PAPER = 698
"""Width of the text on A4 in CSS pixels: 210 mm less two margins of 12 mm, at 96 pixels an inch."""


def _ground(tab: Tab) -> str:
    return str(tab.run("return getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize(("dark", "colour"), [(False, LIGHT), (True, DARK)])
def test_the_system_decides(tab: Tab, dark: bool, colour: str) -> None:
    """Light or dark as the reader's system asks."""
    tab.media(dark=dark)
    tab.visit("failing")
    assert _ground(tab) == colour


def test_the_reader_decides_and_is_remembered(tab: Tab) -> None:
    """The button changes the theme, also for the next visit."""
    tab.media(dark=True)
    tab.visit("failing")
    tab.focus("#theme")
    tab.press(Keys.ENTER)
    assert _ground(tab) == LIGHT
    tab.visit("failing")
    assert _ground(tab) == LIGHT


@pytest.mark.parametrize("chosen", [False, True])
def test_paper_is_light(tab: Tab, chosen: bool) -> None:
    """Whatever the system asks for or the reader chose."""
    tab.media("print", dark=not chosen)
    tab.visit("failing")
    if chosen:
        tab.run("document.documentElement.dataset.theme = 'dark'")
    assert _ground(tab) == LIGHT


@pytest.mark.parametrize("kind", ["passing", "failing", "failing-zh", "injection", "nan"])
@pytest.mark.parametrize("width", [320, 768, 1280, 2560])
def test_nothing_sticks_out(tab: Tab, kind: str, width: int) -> None:
    """At any width the page scrolls down only, with cases open."""
    tab.size(width, 900)
    tab.visit(kind)
    tab.run("document.querySelectorAll('.open').forEach(one => one.click())")
    assert tab.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("kind", ["passing", "failing", "failing-zh", "kernel"])
def test_nothing_is_cut_off_on_paper(tab: Tab, kind: str) -> None:
    """Every table fits on A4."""
    tab.size(PAPER, 1000)
    tab.media("print")
    tab.visit(kind)
    wide = tab.run(
        "return [...document.querySelectorAll('table, svg, pre, .command')]"
        ".filter(e => e.getBoundingClientRect().right > arguments[0] + 1).map(e => e.outerHTML.slice(0, 80))",
        PAPER,
    )
    assert wide == []


def test_paper_has_the_evidence_and_no_buttons(tab: Tab) -> None:
    """Details of failures are printed without being opened; controls are not printed."""
    tab.visit("failing")
    tab.press("/", "zzz")
    tab.media("print")
    details = " ".join(tab.texts(".case .detail"))
    assert "every value is doubled" in details
    assert len(tab.names()) == 10
    assert tab.texts(".filter, nav, .copy, #theme, .json") == []


def test_it_prints(tab: Tab) -> None:
    """The browser makes a PDF of several pages of it."""
    tab.visit("failing")
    pdf = base64.b64decode(tab.command("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF-")
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") > 3


def test_every_control_has_a_name(tab: Tab) -> None:
    """A reader's voice can say what each control is."""
    tab.visit("failing")
    nodes = tab.command("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "link", "searchbox", "combobox", "image", "heading", "table"}
    nameless = [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored") and node["role"]["value"] in roles and not node.get("name", {}).get("value")
    ]
    assert nameless == []
