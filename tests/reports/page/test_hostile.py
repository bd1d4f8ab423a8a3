"""Text from records stays text, whatever it holds."""

from __future__ import annotations

import pytest

from bsa.messages import catalogue
from reports import html, view
from reports.html.page import embed
from tests.reports import samples
from tests.reports.page.reading import Page


@pytest.fixture(scope="module")
def page() -> Page:
    """The page of records that are laden with markup."""
    return Page(html.render(view(samples.injection_run()), messages=catalogue("en")))


def test_no_element_comes_from_a_record(page: Page) -> None:
    """The only scripts are ours."""
    kinds = [one.attributes.get("type", one.attributes.get("id", "")) for one in page.all("script")]
    assert kinds == ["application/json", "application/json", ""]


def test_no_attribute_comes_from_a_record(page: Page) -> None:
    """No element has an event handler or a script address."""
    for one in page.elements:
        assert not [name for name in one.attributes if name.startswith("on")]
        assert not one.attributes.get("href", "#").startswith("javascript:")


def test_text_arrives_whole(page: Page) -> None:
    """What the record says can be read, character by character."""
    assert "<script>window.owned=1</script>" in page.all("h3")[0].text
    assert "{{7*7}}" in page.all("h3")[0].text


def test_records_arrive_whole(page: Page) -> None:
    """The embedded record is the record."""
    (record,) = samples.injection_run().records
    assert list(page.json("records").values()) == [record.to_json()]


def test_passed_details_cannot_end_their_script() -> None:
    """Details kept as text hold no end tag that a record wrote."""
    (one,) = samples.published_entries()[:1]
    record = samples.record(one, replay=samples.INJECTION, stderr_tail="</script><script>window.owned=1</script>")
    page = Page(html.render(view(samples.run((one,), [record])), messages=catalogue("en")))
    (packed,) = page.all("script", type="text/html")
    assert "&lt;/script&gt;" in packed.text


@pytest.mark.parametrize("text", ["</script>", "<!--", "&amp;", "\u2028\u2029"])
def test_embedded_data_cannot_end_the_element(text: str) -> None:
    """Neither an end tag nor a comment nor a line separator survives as such."""
    assert not set(embed({text: text})) & set("<>&\u2028\u2029")
