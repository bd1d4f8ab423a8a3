"""What ``replay --explain`` prints of a record."""

import math

from tests.support.records import make_record
from verification.cli.explaining import explanation
from verification.record import Measurement, Record

FIRST = {
    "kernel": "attention",
    "file": "pack/kernel.py",
    "line": 12,
    "source": "weights = pypto.exp(scores)",
    "called_from": [40, "share(q, k)"],
    "indices": [["u", 3], ["chunk", 1]],
    "name": "weights",
    "element": [5, 7],
    "expected": 0.25,
    "found": math.nan,
    "why": "",
}
AGREES = {"kernel": "attention", "divergence": None, "compared": 31, "off": 0.0003, "unknown": [], "silent": []}


def said(*explained, declared=True, **measured):
    """The text of a record that has been on the disk."""
    measurement = Measurement(explained=explained, **measured)
    record = Record.from_json(make_record("a", measurement=measurement).to_json())
    return "\n".join(explanation(record, declared=declared))


def test_first_wrong_statement_is_told_in_full():
    found = said({**AGREES, "divergence": FIRST})
    for words in ("pack/kernel.py:12", "u=3, chunk=1", FIRST["source"], "line 40", "weights[5, 7]", "0.25", "nan"):
        assert words in found
    assert "pass" not in found


def test_wrong_rows_are_told_in_words():
    assert "key row 9 is missing" in said({**AGREES, "divergence": {**FIRST, "why": "key row 9 is missing"}})


def test_right_statements_lead_to_the_first_pass_that_differs():
    passes = {"Pass_04": "", "Pass_11": "out[3, 4]: nan, 0.5 before", "Pass_12": "out[3, 4]: nan, 0.5 before"}
    found = said(AGREES, passes=passes, pass_filter="all")
    assert "all 31 results" in found
    assert "Pass_11: out[3, 4]" in found
    assert "Pass_12" not in found


def test_right_statements_without_passes_say_how_to_look_at_them():
    assert "--passes all" in said(AGREES)


def test_difference_of_pypto_itself_is_told():
    assert "float64 by 0.5" in said({**AGREES, "off": 0.5})


def test_what_is_not_followed_is_told():
    assert "topk" in said({**AGREES, "unknown": ["topk"]})
    assert "not followed: KeyError: 'q'" in said({"kernel": "a", "problem": "Traceback\n  line\nKeyError: 'q'\n"})


def test_what_is_missing_for_an_explanation_is_told():
    assert "`dataflow`" in said(declared=False)
    assert "no launch came to its end" in said()
    assert "no result was compared" in said({**AGREES, "compared": 0})
    assert "says nothing of: tile, weights" in said({**AGREES, "silent": ["tile", "weights"]})


def test_each_launch_is_told_with_its_kernel():
    assert "launch 2, gate: all 31 results" in said(AGREES, {**AGREES, "kernel": "gate"})
