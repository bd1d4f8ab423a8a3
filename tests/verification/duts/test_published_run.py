"""One run of suites field and properties on the stand-in checkout: its report names the six published faults."""

import json
from pathlib import Path

import pytest

from tests.support import runs
from verification.duts._published import ROOT

CHECKOUT = Path(__file__).parents[2] / "support" / "published"
FAULTS = {
    "attends block 0 where nothing is selected": (
        "only rows that select nothing or lie beyond the actual length are wrong: they must be 0",
        "query block 0",
        ("common/bsa_common.py", "selected or [0]"),
    ),
    "NaN beyond the lengths spreads": (
        "NaN or Inf that the inputs hold spreads into rows whose answer is finite",
        "rows",
        ("FWD/bsa_fwd_impl.py", "pypto.add(pypto.mul(scores, factor), gap)"),
    ),
    "true logits below -65504": (
        "a finite minus infinity outweighs the true logits",
        "all 256 rows",
        ("common/bsa_common.py", "large_neg: float = -65504.0"),
    ),
    "a mask edited in place": (
        "call 2 returned the answer of call 1, as tables kept by an address do",
        "rows",
        ("common/bsa_common.py", "mask.data_ptr()"),
    ),
    "rows beyond the length hold the mean of V": (
        "all of them the same values, as the mean of V would be",
        "query block",
        ("FWD/bsa_fwd_impl.py", "pypto.div(attended, total)"),
    ),
    "the scale is stored in FP16": (
        "like that of a scale stored in FP16",
        "rows",
        ("common/bsa_common.py", "(valid.float() * scale).half()"),
    ),
}
"""By fault: the end of its cause, a part of its place, and file and text of the line that brings it about."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The whole run, cases that do not fit into 8 GiB left out; minutes."""
    folder = tmp_path_factory.mktemp("published")
    asked = ("--dut", "published.forward", "published.backward", "--suite", "field", "properties")
    options = ("--memory", "8G", "--out", "out/run")
    done = runs.bsa_verify("run", *asked, *options, cwd=folder, env={ROOT: str(CHECKOUT)}, timeout=3600)
    return done, json.loads((folder / "out" / "run" / "report.json").read_text(encoding="utf-8"))


def lines_of(fault, report):
    """The entries of a report's causes that name a fault, its place and its line."""
    cause, place, (file, code) = FAULTS[fault]
    return [
        one
        for one in report["causes"]
        if one["cause"].endswith(cause) or cause in one["cause"].split(" (")[0]
        if place in one["location"] and any(file in line and code in line for line in one["suspects"])
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_one_line_of_the_report(finished, fault):
    """Its cause, its place, and the line of the checkout."""
    _, report = finished
    assert len(lines_of(fault, report)) == 1


@pytest.mark.nightly
def test_terminal_names_the_lines(finished):
    """So does the end of the run, which fails; no case crashes, and one that does not fit says its figure."""
    done, report = finished
    assert done.returncode == 1
    for _, _, (file, _) in FAULTS.values():
        assert f"look at {file}:" in done.stdout
    left = [case for case in report["cases"] if case["verdict"] not in ("PASS", "FAIL")]
    assert {case["verdict"] for case in left} <= {"NOT_RUN"}
    assert all("estimated memory" in case["reason"] for case in left)
