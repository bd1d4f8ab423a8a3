"""The Markdown report: short, complete, and inert whatever the records hold."""

from __future__ import annotations

import re

import pytest

from bsa.messages import catalogue
from reports import markdown, view
from tests.reports import kernel_samples, samples

LONGEST_COMMENT = 65536
"""Characters that GitHub takes in one comment."""


def _text(kind: str, language: str = "en") -> str:
    return markdown.render(view(getattr(samples, f"{kind}_run")()), messages=catalogue(language))


def test_answer_comes_first() -> None:
    """The first line asks and answers, the second counts."""
    lines = _text("passing").splitlines()
    assert lines[0] == "## Can I merge? Yes: 10 of 10 cases passed."
    assert lines[2] == "**10/10 passed, 3 multi-block** — 10 PASS"


def test_failures_come_with_their_replay_command() -> None:
    """One row per bucket: verdict, number of cases, what failed, an example, and how to run it again."""
    text = _text("failing")
    first = next(line for line in text.splitlines() if line.startswith("| FAIL | 2 |"))
    assert "every value is doubled" in first
    assert "S256 Sparse50" in first
    assert f"<code>bsa-verify replay {samples.failing_run().plan.entries[0].case_id}</code>" in first


def test_warnings_are_quoted() -> None:
    """Dirty tree, torn journal, scope and simulator stand below the answer."""
    notes = [line for line in _text("failing").splitlines() if line.startswith("> ")]
    assert len(notes) == 4


@pytest.mark.parametrize("kind", ["passing", "failing", "synthetic", "empty", "unstarted", "nan", "injection"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_are_tables(kind: str, language: str) -> None:
    """Every row of a table has as many cells as its head."""
    for block in re.findall(r"(?:^\|.*\n)+", _text(kind, language), re.MULTILINE):
        assert len({line.count("|") for line in block.splitlines()}) == 1


def test_ledger_and_environment_are_folded_in() -> None:
    """What sim cannot see, and where the records come from, are part of the text."""
    text = _text("passing")
    assert text.count("<details>") == text.count("</details>") == 3
    assert "| Races between cores | none |" in text
    assert "<code>2.13.0</code>" in text


def test_records_cannot_write_markup() -> None:
    """No HTML, mention, table border or code of a record survives as such."""
    text = _text("injection")
    assert "<script" not in text
    assert "@all" not in re.sub(r"<code>.*?</code>", "", text)
    assert "\x1b" not in markdown.escape("\x1b[31m")
    assert text.count("<details>") == text.count("</details>")


def test_long_runs_fit_a_comment() -> None:
    """A thousand cases are cut, and say so."""
    text = markdown.render(view(samples.big_run(1000)), messages=catalogue("en"))
    assert len(text) < LONGEST_COMMENT
    assert "more rows are in index.html" in text


def test_long_cells_are_cut() -> None:
    """One endless reason does not fill the page."""
    assert len(markdown.escape("x" * 10_000)) == markdown.LONGEST_CELL


def test_chinese() -> None:
    """The same report in Chinese."""
    assert _text("passing", "zh").splitlines()[0] == "## 可以合入吗？ 可以：10 个用例全部通过（10/10）。"


def test_what_the_kernels_did() -> None:
    """How much of them ran, which lines did not, what was found in them; nothing where no record says."""
    text = markdown.render(view(kernel_samples.kernel_run()), messages=catalogue("en"))
    section = text.partition("### What the kernels really did")[2].partition("<details>")[0]
    assert "traced lines executed" in section
    assert section.count("\n| <code>") == 2, section
    assert "could not be replayed" in section
    assert "Excused at the line: the second pass overwrites &#60;b&#62;on purpose" in section
    assert "What the kernels really did" not in _text("passing")
