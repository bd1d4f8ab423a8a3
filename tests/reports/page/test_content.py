"""The page holds everything, offline, and every link leads somewhere."""

from __future__ import annotations

import re

import pytest

from bsa.messages import catalogue
from reports import html, view
from tests.reports import kernel_samples, samples
from tests.reports.page.reading import Page
from verification.runs import Run

KINDS = ("passing", "failing", "synthetic", "empty", "unstarted", "nan", "injection", "kernel")


@pytest.fixture(scope="module", params=[(kind, language) for kind in KINDS for language in ("en", "zh")], ids=str)
def page(request: pytest.FixtureRequest) -> Page:
    """The page of every kind of run, in every language; reading it checks that its tags are balanced."""
    kind, language = request.param
    return Page(html.render(view(_run(kind)), messages=catalogue(language)))


def _run(kind: str) -> Run:
    return kernel_samples.kernel_run() if kind == "kernel" else getattr(samples, f"{kind}_run")()


def _page(kind: str) -> Page:
    return Page(html.render(view(_run(kind)), messages=catalogue("en")))


def test_page_asks_for_nothing(page: Page) -> None:
    """No element loads anything: no source, no link but the empty icon, no address in the style sheet."""
    assert [one for one in page.elements if {"src", "srcset", "action", "data"} & set(one.attributes)] == []
    assert [one.attributes["href"] for one in page.all("link")] == ["data:,"]
    assert "url(" not in page.all("style")[0].text
    assert "@import" not in page.all("style")[0].text


def test_policy_forbids_all_but_our_script(page: Page) -> None:
    """The browser is told to load nothing and to run one script, by its hash."""
    (policy,) = [one.attributes["content"] for one in page.all("meta") if "http-equiv" in one.attributes]
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]+'", policy
    )


def test_ids_are_unique(page: Page) -> None:
    """An anchor means one place."""
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))


def test_links_and_labels_lead_somewhere(page: Page) -> None:
    """Every link, aria-controls, aria-labelledby and aria-describedby names an id of the page."""
    ids = {one.attributes["id"] for one in page.elements if "id" in one.attributes}
    targets = {one.attributes["href"].removeprefix("#") for one in page.all("a")}
    targets |= {
        one.attributes[name]
        for one in page.elements
        for name in ("aria-controls", "aria-labelledby", "aria-describedby")
        if name in one.attributes
    }
    assert targets - ids == set()


def test_language_is_declared() -> None:
    """A reader's voice and fonts depend on it."""
    shown = view(samples.passing_run())
    assert Page(html.render(shown, messages=catalogue("zh"))).all("html")[0].attributes["lang"] == "zh-CN"
    assert Page(html.render(shown, messages=catalogue("en"))).all("html")[0].attributes["lang"] == "en"


def test_answer_comes_first() -> None:
    """The first heading answers the question."""
    assert " ".join(_page("passing").all("h1")[0].text.split()) == "Can I merge? Yes: 10 of 10 cases passed."
    assert "No: 7 of 10 cases failed." in _page("failing").all("h1")[0].text


def test_every_case_has_its_place_and_its_record() -> None:
    """Each case of the plan has an anchor; each attempt's record is embedded, unchanged."""
    run = samples.failing_run()
    page = _page("failing")
    assert [one.attributes["id"] for one in page.all("tbody") if "id" in one.attributes] == [
        f"case-{entry.case_id}" for entry in run.plan.entries
    ]
    assert page.json("records") == {f"{r.case_id}:{r.run_id}:{r.attempt}": r.to_json() for r in run.records}


def test_figures_link_to_their_case() -> None:
    """Every number in a table of cases is a link to the case that it belongs to."""
    source = html.render(view(samples.passing_run()), messages=catalogue("en"))
    for section in ("precision", "speed"):
        start = source.index(f'<section id="{section}"')
        cells = re.findall(
            r'<td class="n[^"]*" data-v="[^"]+">(.*?)</td>', source[start : source.index("</section>", start)]
        )
        assert cells
        assert all(cell.startswith('<a tabindex="-1" href="#case-') for cell in cells)


def test_every_case_shows_its_replay_command() -> None:
    """A case that ran can be run again; one that did not, by resuming the run."""
    page = _page("failing")
    commands = {one.attributes["data-copy"] for one in page.all("button") if "data-copy" in one.attributes}
    run = samples.failing_run()
    failed = {record.replay for record in run.records if record.verdict != "PASS"}
    assert failed | {f"bsa-verify run --resume out/{samples.RUN_ID}"} <= commands


@pytest.mark.parametrize(
    "text",
    [
        "b=0 h=2 query block 1 rows 44..63 (296 of 4096 elements)",
        "Looks like: every value is doubled",
        "296 of 131072 elements beyond the limit · found ÷ expected = 2.00",
        "killed by signal 6 (SIGABRT) after 3.2 s",
        "Only allow to expand one axis!",
        "published 1.22e−4",
        "The tree had uncommitted changes",
        "1 line of the journal was cut short",
        "What a card has shown",
        "g++ (Debian 12.2.0-14) 12.2.0",
    ],
)
def test_evidence_is_on_the_page(text: str) -> None:
    """Locations, causes, deaths, published maxima, warnings, the ledger and the environment can be read."""
    assert text in _page("failing").all("body")[0].text


def test_synthetic_records_are_flagged() -> None:
    """In the summary and at every case."""
    page = _page("synthetic")
    assert "10 cases rest on synthetic records" in page.all("header")[0].text
    assert len([one for one in page.all("span", **{"class": "flag"}) if one.text == "synthetic"]) == 10


def test_same_records_make_the_same_page() -> None:
    """Whatever order the records were written in, and however often it is rendered."""
    run = samples.failing_run()
    backwards = samples.failing_run().__class__(**{**vars(run), "records": run.records[::-1]})
    first = html.render(view(run), messages=catalogue("en"))
    assert first == html.render(view(run), messages=catalogue("en"))
    assert first == html.render(view(backwards), messages=catalogue("en"))
