"""Every table sorts by every column, from the keyboard."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.tab import Tab

HEADS = {"verdict": 1, "case": 2, "ratio": 4, "cpu": 8, "memory": 9}
"""Place of a column in the table of cases where there is one DUT."""


def _head(column: str) -> str:
    return f"#case-table thead th:nth-child({HEADS[column]})"


def _sort(tab: Tab, column: str) -> str:
    tab.focus(f"{_head(column)} button")
    tab.press(Keys.ENTER)
    return str(tab.find(_head(column)).get_attribute("aria-sort"))


def _values(tab: Tab, column: str) -> list[str]:
    cells = f"tbody.case .main > :nth-child({HEADS[column]})"
    found: list[str] = tab.run("return [...document.querySelectorAll(arguments[0])].map(e => e.dataset.v)", cells)
    return found


def test_worst_first(tab: Tab) -> None:
    """The first press on a column of numbers brings the largest up, the second the smallest."""
    tab.visit("passing")
    assert _sort(tab, "ratio") == "descending"
    down = [float(value) for value in _values(tab, "ratio")]
    assert down == sorted(down, reverse=True)
    assert _sort(tab, "ratio") == "ascending"
    assert [float(value) for value in _values(tab, "ratio")] == down[::-1]


def test_names_sort_as_people_count(tab: Tab) -> None:
    """S256 stands before S1024."""
    tab.visit("passing")
    assert _sort(tab, "case") == "ascending"
    names = tab.names()
    assert names.index("S256 Sparse50") < names.index("S300 NonAligned") < names.index("S1024 Sparse30")


@pytest.mark.parametrize("presses", [1, 2])
def test_missing_values_are_last_both_ways(tab: Tab, presses: int) -> None:
    """A case that measured nothing is never the best or the worst."""
    tab.visit("failing")
    for _ in range(presses):
        _sort(tab, "ratio")
    values = _values(tab, "ratio")
    assert values.count("") == 4
    assert values[-4:] == [""] * 4


def test_nan_is_the_worst(tab: Tab) -> None:
    """NaN stands above every number."""
    tab.visit("nan")
    _sort(tab, "ratio")
    assert tab.names() == ["S256 Sparse50", "S512 Sparse70"]


def test_one_column_at_a_time(tab: Tab) -> None:
    """Only the last sorted column says so."""
    tab.visit("passing")
    _sort(tab, "ratio")
    _sort(tab, "cpu")
    assert tab.run("return document.querySelectorAll('#case-table [aria-sort]').length") == 1


def test_open_details_move_with_their_case(tab: Tab) -> None:
    """An opened case is still open, and still its own, after sorting."""
    tab.visit("passing")
    tab.run("document.querySelector('.open').click()")
    _sort(tab, "memory")
    assert tab.run("return document.querySelector('.case.opened .open').textContent") == "S256 Sparse50"


def test_all_tables_sort(tab: Tab) -> None:
    """Each head of each table sorts its own table, by the column beneath it, without an error."""
    tab.visit("failing")
    tab.run("document.querySelectorAll('.sort').forEach(one => { one.click(); one.click(); })")
    assert tab.console() == []
    counts = tab.run(
        "return [...document.querySelectorAll('table.sortable')].map(t => t.querySelectorAll('.sort').length)"
    )
    assert len(counts) == 5
    assert min(counts) > 3


def test_rows_are_as_wide_as_their_head(tab: Tab) -> None:
    """Every row has a cell beneath every head, so that sorting by place is sorting by column."""
    tab.visit("failing")
    widths = tab.run(
        "return [...document.querySelectorAll('table.sortable')].map(t => [...t.rows]"
        ".filter(r => r.closest('table') === t && !r.matches('.detail-row'))"
        ".map(r => [...r.cells].reduce((n, c) => n + c.colSpan, 0)))"
    )
    assert [len(set(found)) for found in widths] == [1] * len(widths)
