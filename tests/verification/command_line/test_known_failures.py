"""A known failure is no pass: it is counted apart, in the same words, wherever cases are counted."""

import io
from pathlib import Path

import pytest

from bsa.messages import catalogue, set_language
from reports import data, markdown, view
from stimuli.case import Case
from tests.support.records import make_record
from verification.cli.progress import Display
from verification.cli.summary import print_counts, print_summary
from verification.comparison import compare_runs
from verification.plan import Budget, Plan, PlanEntry
from verification.runs import Run

CASES = tuple(Case(dut="toy.double", params={"rows": n}, name=f"case {n}") for n in (1, 2, 3))


def _run(*verdicts):
    plan = Plan(
        run_id="run",
        created="",
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter="none",
        budget=Budget(),
        entries=tuple(PlanEntry(case=case, suites=("toy",)) for case in CASES),
    )
    records = tuple(make_record(case.id, verdict=verdict) for case, verdict in zip(CASES, verdicts, strict=True))
    return Run(path=Path("run"), plan=plan, records=records, manifest={})


@pytest.fixture(params=["en", "zh"])
def words(request):
    """What is said of one known failure, in a language."""
    set_language(request.param)
    yield catalogue(request.param).count("report.summary.known", 1)
    set_language(None)


@pytest.mark.parametrize("show", [print_summary, print_counts])
def test_at_the_end_of_a_run(words, show, capsys):
    """Both the suite's line and the closing one."""
    show(_run("PASS", "KNOWN", "PASS"))
    said = capsys.readouterr().out.splitlines()
    lines = [line for line in said if words in line]
    assert len(lines) == 2
    assert all("2" in line and "3 passed" not in line for line in lines)


def test_nothing_is_said_where_there_is_none(words, capsys):
    """No empty count."""
    print_summary(_run("PASS", "PASS", "PASS"))
    assert words not in capsys.readouterr().out


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_in_the_live_bar(words, monkeypatch):
    """While the run goes on."""
    monkeypatch.setenv("TERM", "xterm")
    stream = _Terminal()
    display = Display(stream=stream)
    display.planned(3, 0)
    for record in _run("PASS", "KNOWN", "PASS").records[:2]:
        display.recorded(record)
    display.close()
    assert words in stream.getvalue()


def test_in_the_report(words):
    """The page, the Markdown and the JSON count one pass less."""
    shown = view(_run("PASS", "KNOWN", "PASS"))
    assert (shown.summary.total.passed, shown.summary.known) == (2, 1)
    assert "1 KNOWN" in markdown.render(shown)
    (listed,) = [line for line in markdown.render(shown).splitlines() if line.startswith("| case 2 |")]
    assert "because KNOWN" in listed
    assert '"passed": 2' in data.render(shown)


def test_in_a_comparison():
    """A pass that became a known failure is a change that is shown, and no new failure."""
    comparison = compare_runs(_run("PASS", "PASS", "PASS"), _run("PASS", "KNOWN", "PASS"))
    assert [change.name for change in comparison.changed] == ["case 2"]
    assert not comparison.worse
