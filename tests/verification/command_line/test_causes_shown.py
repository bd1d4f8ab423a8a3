"""The end of a run groups failed cases by cause, with the lines to look at, as they stand."""

from bsa.messages import set_language
from tests.reports import samples
from verification.cli import summary
from verification.cli.summary import print_summary

CAUSE = "call 2 returned the answer of call 1, as tables kept by an address do"
LINE = "FWD/impl.py:100: name = [mask.data_ptr()]  # :smile:"


def _run(*causes, lines=(LINE,)):
    entries = samples.published_entries()[: len(causes)]
    outputs = [
        samples.output("out", {"row": 9.0}, location=samples.location(cause=one, text="all rows", suspects=lines))
        for one in causes
    ]
    return samples.run(
        entries,
        [samples.record(entry, "FAIL", "why", outputs=(one,)) for entry, one in zip(entries, outputs, strict=True)],
    )


def test_cause_place_and_line_are_said(capsys):
    """No part of a source line is taken for markup or a picture."""
    set_language("en")
    print_summary(_run(CAUSE, f"{CAUSE}; everything is wrong"))
    said = capsys.readouterr().out
    assert f"  2 cases: {CAUSE}\n" in said
    assert "first bsa.forward S256 Sparse50  out: all rows\n" in said
    assert f"      look at {LINE}\n" in said


def test_one_failure_needs_no_grouping(capsys):
    """Its own line says it."""
    set_language("en")
    print_summary(_run(CAUSE))
    assert "causes" not in capsys.readouterr().out


def test_as_many_as_fit_a_screen(capsys, monkeypatch):
    """However many there are."""
    set_language("en")
    monkeypatch.setattr(summary, "CAUSES", 8)
    names = [f"doubled by {letter}" for letter in "abcdefghij"]
    print_summary(_run(*names))
    said = capsys.readouterr().out
    assert said.count("look at") == 8
    assert "  and 2 more causes: the report names them\n" in said


def test_lines_beyond_the_first_are_counted(capsys):
    """And not just left out."""
    set_language("en")
    print_summary(_run(CAUSE, CAUSE, lines=tuple(f"{LINE}{number}" for number in range(7))))
    said = capsys.readouterr().out
    assert said.count("look at") == 3
    assert "      and at 4 more of this form: the report names them with the case\n" in said
