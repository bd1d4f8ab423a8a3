"""The page: what it counts, and when it disagrees with what was accepted."""

from dataclasses import replace
from pathlib import Path

import pytest

from bsa.messages import set_language
from verification.limits import LIMITS
from verification.limits.expectation import Expectation, Finding
from verification.limits.limit import ACTIVE, BLIND, LIFTED, OTHER, UNKNOWN, WORKS
from verification.limits.page import brief_text, make_page, page_text
from verification.limits.ran import Lines
from verification.limits.survey import Seen, limit_status
from verification.limits.tags import Use
from verification.shadow.columns import KernelLines

STATUS = {"explicit-cond": ACTIVE, "plain-function": WORKS, "bare-if": WORKS}
USE = Use(number=2, path=Path("kernel.py"), line=7, function="kernel", what="bare")


@pytest.fixture(autouse=True)
def _english():
    set_language("en")
    yield
    set_language(None)


def _page(*, seen=STATUS, expected=STATUS, unprotected=(), uses=None, removals=None, whole=True, **more):
    return make_page(
        [LIMITS[2]],
        {
            (2, name): Seen(finding=Finding(status=status, evidence="E" if status == ACTIVE else ""))
            for name, status in seen.items()
        },
        pypto="9.9.9",
        expectation=Expectation(
            pypto="9.9.8",
            unprotected=unprotected,
            findings={("sim", 2, name): Finding(status=status, evidence="was") for name, status in expected.items()},
        ),
        uses=uses or {"dut": [USE]},
        removals={2: removals} if removals else {},
        stressing=lambda _limit: 3,
        whole=whole,
        **more,
    )


def test_protected_use_agrees():
    """Relied on and protected: nothing to say."""
    page = _page(removals={"dut": "case"})
    assert page.agrees
    assert page.unprotected == ()
    assert "relied on and unprotected: 0" in page_text(page)
    assert "kernel.py:7 kernel" in page_text(page)


def test_unprotected_use_disagrees_until_accepted():
    """What nothing protects is counted, and differs from what was accepted."""
    page = _page()
    assert page.unprotected == (2,)
    assert not page.agrees
    assert "expected 0, found 1 (2)" in page_text(page)
    assert _page(unprotected=(2,)).agrees


def test_protection_of_another_dut_does_not_count():
    """Each DUT needs its own."""
    assert _page(removals={"other": "case"}).unprotected == (2,)


def test_guest_is_shown_and_not_counted():
    """Nothing is known of what protects a user's own sources, and no expectation covers them."""
    page = _page(guests=["dut"])
    assert page.unprotected == ()
    assert page.agrees
    assert "caught by: nothing that is known here" in page_text(page)


def test_page_says_which_lines_ran():
    """With the run that says so; without one, that none does."""
    kernel = KernelLines(file="kernel.py", path=None, traced=frozenset({7, 8}), arcs=frozenset({(-6, 7), (7, -6)}))
    lines = {"dut": Lines(run="R1", kernels=(kernel,))}
    idle = replace(USE, line=8)
    text = page_text(_page(lines=lines, uses={"dut": [USE, idle, replace(USE, line=90)]}))
    assert "ran in R1: 1 of 2 lines of kernels, 1 lines of host code are not recorded" in text
    assert f"never executed: {idle.place}" in text
    assert "no run here says so of dut" in page_text(_page())


def test_page_counts_the_cases_of_a_cross():
    """And names the first."""
    entry = replace(_page().entries[0], crosses=(("rows of 2048", ("one", "two")), ("none", ())))
    text = page_text(replace(_page(), entries=(entry,)))
    assert "crossed with rows of 2048: 2 cases, the first one" in text
    assert "crossed with none: 0 cases, the first -" in text


def test_shared_lines_share_the_protection():
    """A DUT made of another's lines needs no removal of its own; one with a line more does."""
    other = Use(number=2, path=Path("kernel.py"), line=9, function="kernel", what="bare")
    assert _page(uses={"dut": [USE], "whole": [USE]}, removals={"dut": "case"}).unprotected == ()
    assert _page(uses={"dut": [USE], "whole": [USE, other]}, removals={"dut": "case"}).unprotected == (2,)


def test_part_of_the_page_does_not_judge_the_whole():
    """Without all limits the number of unprotected ones means nothing."""
    assert _page(whole=False).agrees


@pytest.mark.parametrize(("probe", "status"), [("explicit-cond", LIFTED), ("bare-if", OTHER), ("explicit-cond", BLIND)])
def test_changed_status_is_caught_and_explained(probe, status):
    """A planted change disagrees, and the page shows what was expected."""
    page = _page(seen={**STATUS, probe: status}, removals={"dut": "case"})
    assert not page.agrees
    assert page.entries[0].changed == (probe,)
    text = page_text(page)
    assert f"expected: {'works' if STATUS[probe] == WORKS else STATUS[probe]} was" in text
    assert "changed since the expectation of 9.9.8: 1 (2)" in text


def test_lifted_limit_needs_no_protection():
    """And its workaround can go once a card agrees."""
    page = _page(seen={**STATUS, "explicit-cond": LIFTED}, expected={**STATUS, "explicit-cond": LIFTED})
    assert page.unprotected == ()
    assert "until a card has answered" in page_text(page)


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ((ACTIVE, WORKS, WORKS), ACTIVE),
        ((LIFTED, WORKS, WORKS), LIFTED),
        ((BLIND, WORKS, WORKS), BLIND),
        ((ACTIVE, OTHER, WORKS), OTHER),
        ((OTHER, WORKS, WORKS), OTHER),
    ],
)
def test_status_of_a_limit(statuses, status):
    """From its forms; a neighbour or workaround that fails is no detail."""
    found = {(2, name): Seen(finding=Finding(status=one)) for name, one in zip(STATUS, statuses, strict=True)}
    assert limit_status(LIMITS[2], found) == status


def test_card_is_unknown_until_it_answers():
    """Sim proves nothing for a card."""
    assert _page().entries[0].card == UNKNOWN


def test_page_in_chinese():
    """Titles, statuses and advice."""
    set_language("zh")
    text = page_text(_page())
    assert "被依赖且无保护" in text
    assert "kernel.py:7 kernel" in text


def test_brief_page_shows_what_differs():
    """Statuses with their limits, probes that changed with what was expected, workarounds that are not needed."""
    lifted = {**STATUS, "explicit-cond": LIFTED}
    said = brief_text(_page(seen=lifted, removals={"dut": "case"}))
    assert "LIFTED: 1 (2)" in said
    assert "changed: 1 (2)" in said
    assert "expected: ACTIVE was" in said
    assert "can do without, as far as sim shows: 2 (dut)" in said
    assert "bare-if" not in said
    same = brief_text(_page(removals={"dut": "case"}))
    assert "changed: 0" in same
    assert "explicit-cond" not in same
    assert "as far as sim shows: nothing" in same
