"""The end of a run groups failed cases by cause, with the lines to look at, as they stand."""

from bsa.messages import set_language
from tests.reports import samples
from verification.cli.summary import CAUSES, print_summary

CAUSE = "call 2 returned the answer of call 1, as tables kept by an address do"
LINE = "FWD/impl.py:100: name = [mask.data_ptr()]  # :smile:"


def _run(*causes):
    entries = samples.published_entries()[: len(causes)]
    outputs = [
        samples.output("out", {"row": 9.0}, location=samples.location(cause=one, text="all rows", suspects=(LINE,)))
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


def test_as_many_as_fit_a_screen(capsys):
    """However many there are."""
    set_language("en")
    names = ["doubled", "halved", "lost", "all zeros", "shifted", "swapped", "rounded", "late", "early", "cut"]
    print_summary(_run(*names))
    assert capsys.readouterr().out.count("look at") == min(len(names), CAUSES)
