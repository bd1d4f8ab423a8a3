"""JUnit XML as CI servers read it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from reports import junit, view
from tests.reports import samples

KINDS = ("passing", "failing", "synthetic", "empty", "unstarted", "nan", "injection")


def _root(kind: str) -> ET.Element:
    return ET.fromstring(junit.render(view(getattr(samples, f"{kind}_run")())))  # noqa: S314 - our own text


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_the_elements(kind: str) -> None:
    """The totals agree with what is listed, in every kind of run."""
    root = _root(kind)
    for suite in (root, *root.iter("testsuite")):
        cases = list(suite.iter("testcase"))
        counted = {tag: sum(case.find(tag) is not None for case in cases) for tag in ("failure", "error", "skipped")}
        assert int(suite.get("tests", "")) == len(cases)
        assert int(suite.get("failures", "")) == counted["failure"]
        assert int(suite.get("errors", "")) == counted["error"]
        assert int(suite.get("skipped", "")) == counted["skipped"]


def test_properties_say_how_to_run_it_again() -> None:
    """Seed, replay command and case id are properties of each case."""
    entry = samples.passing_run().plan.entries[0]
    case = _root("passing").find("testsuite/testcase")
    assert case is not None
    found = {one.get("name"): one.get("value") for one in case.iter("property")}
    assert found["case_id"] == entry.case_id
    assert found["seed"] == "0"
    assert found["replay"] == f"bsa-verify replay {entry.case_id}"


def test_every_verdict_has_its_element() -> None:
    """FAIL and FLAKY are failures, deaths and missing verdicts errors, KNOWN is skipped, PASS is bare."""
    found = {}
    for case in _root("failing").iter("testcase"):
        verdict = next(p.get("value") for p in case.iter("property") if p.get("name") == "verdict")
        found[verdict] = next((one.tag for one in case if one.tag in ("failure", "error", "skipped")), "")
    assert found == {
        "PASS": "",
        "FAIL": "failure",
        "FLAKY": "failure",
        "CRASH": "error",
        "TIMEOUT": "error",
        "MEMORY": "error",
        "NOT_RUN": "error",
        "KNOWN": "skipped",
    }


def test_a_case_that_did_not_run_is_not_green() -> None:
    """A plan of which nothing ran is all errors."""
    root = _root("unstarted")
    assert root.get("errors") == root.get("tests") == "10"


def test_a_failure_says_where() -> None:
    """Message, location, cause and replay are in the text."""
    failure = _root("failing").find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == "out: maximum 812 times its limit"
    text = failure.text or ""
    assert "out: maximum, row; error/limit 812.5" in text
    assert "b=0 h=2 query block 1" in text
    assert "every value is doubled" in text
    assert "replay: bsa-verify replay" in text


def test_stderr_is_kept() -> None:
    """The true error of a crash is in system-err."""
    assert any("Only allow to expand one axis!" in (one.text or "") for one in _root("failing").iter("system-err"))


def test_characters_that_xml_cannot_hold() -> None:
    """Control characters become U+FFFD; the rest arrives as it was."""
    assert junit.clean("a\x00b\x1bc\ud800\t<é>") == "a\ufffdb\ufffdc\ufffd\t<é>"
    case = _root("injection").find("testsuite/testcase")
    assert case is not None
    assert "<script>window.owned=1</script>" in (case.get("name") or "")
