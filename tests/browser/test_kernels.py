"""The kernels on the page: their source, marked; links to lines; findings."""

from __future__ import annotations

import pytest

from tests.browser.tab import Tab
from tests.reports import kernel_samples

LINE = kernel_samples.finding().line


def _open(tab: Tab) -> None:
    tab.run("document.querySelectorAll('details.kernel').forEach(one => one.open = true)")


def test_marks_are_seen_and_told_apart_without_colour(tab: Tab) -> None:
    """Each state has a sign of its own, in the legend too."""
    tab.visit("kernel")
    _open(tab)
    for state, sign in (("executed", "✓"), ("compiled", "◐"), ("traced", "○"), ("never", "·")):
        assert set(tab.texts(f"tr.s-{state} > .mark")) == {sign}
        assert tab.texts(f".legend .s-{state}") == [sign]


def test_a_link_to_a_line_unfolds_its_text(tab: Tab) -> None:
    """From a finding, and from outside the page."""
    tab.visit("kernel")
    assert tab.run("return document.querySelector('details.kernel').open") is False
    link = tab.find(".findings li a[href^='#kernel-']")
    anchor = link.get_attribute("href").partition("#")[2]
    assert anchor.endswith(f"-L{LINE}")
    link.click()
    tab.settle()
    for _ in range(2):
        place = tab.run(
            "const one = document.getElementById(arguments[0]).getBoundingClientRect();"
            "return one.height > 0 && one.top >= 0 && one.bottom <= innerHeight",
            anchor,
        )
        assert place is True
        tab.visit("kernel", f"#{anchor}")


@pytest.mark.parametrize("kind", ["kernel", "kernel-zh"])
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_nothing_sticks_out(tab: Tab, kind: str, width: int) -> None:
    """Long lines scroll inside their own box, and names of files do not stand letter below letter."""
    tab.size(width, 900)
    tab.visit(kind)
    _open(tab)
    assert tab.run("return document.documentElement.scrollWidth") <= width
    widths = tab.run(
        "return [...document.querySelectorAll('.columns-of-kernel tbody th')].map(e => e.getBoundingClientRect().width)"
    )
    assert min(widths) >= 100


def test_findings_say_where_and_why(tab: Tab) -> None:
    """Line, indices, tensor and region, words, cases; an excused one its reason."""
    tab.visit("kernel")
    counts, excused = tab.texts(".findings > li")
    for part in ("parallel-overlap", f"traced_kernel.py:{LINE}", "block=3, slot=0", "out[96:128, 0:64]", "2 cases"):
        assert part in counts
    assert "the second pass overwrites <b>on purpose</b>" in excused


def test_the_text_can_be_reached_and_scrolled_by_keyboard(tab: Tab) -> None:
    """A region of its own that takes the focus."""
    tab.visit("kernel")
    _open(tab)
    tab.focus(".source")
    assert tab.run("return document.activeElement.className") == "source"
