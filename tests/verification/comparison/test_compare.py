"""Comparing two runs finds what was planted, and is silent on an identical run."""

from dataclasses import replace
from pathlib import Path

import pytest
from records import make_record

from stimuli.case import Case
from verification.comparison import compare_runs
from verification.plan import Budget, Plan, PlanEntry
from verification.record import Check, Measurement, OutputResult
from verification.runs import Run

CASES = tuple(Case(dut="toy.double", params={"rows": n}, name=f"case {n}") for n in range(1, 6))


def record(case, *, ratio=0.4, us=30.0, mib=400, verdict="PASS", digest="same"):
    check = Check(rule="maximum", passed=ratio <= 1, value=ratio, limit=1.0, ratio=ratio)
    output = OutputResult(name="out", shape=(1,), dtype="float16", passed=ratio <= 1, max_error=ratio, checks=(check,))
    return make_record(
        case.id,
        verdict=verdict,
        outputs=(output,),
        input_digests={"x": digest},
        measurement=Measurement(model_us=us, peak_bytes=mib << 20),
    )


def run(name, records, cases=CASES):
    plan = Plan(
        run_id=name,
        created="",
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter="none",
        budget=Budget(),
        entries=tuple(PlanEntry(case=case, suites=("toy",)) for case in cases),
    )
    return Run(path=Path(name), plan=plan, records=tuple(records), manifest={})


def planted(**change):
    """A run, and the same with one case changed."""
    before = [record(case) for case in CASES]
    after = [record(CASES[0], **change), *before[1:]]
    return compare_runs(run("a", before), run("b", after))


CHANGES = ("new_fail", "fixed", "changed", "weaker", "stronger", "model_us", "peak_memory")


def found(comparison):
    return {
        name: [change.name for change in getattr(comparison, name)] for name in CHANGES if getattr(comparison, name)
    }


def test_identical_runs_are_silent():
    """Nothing is reported of two runs with the same records, in one line beside the head."""
    comparison = planted()
    assert found(comparison) == {}
    assert not comparison.worse
    assert len(comparison.to_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("change", "kind", "worse"),
    [
        ({"verdict": "FAIL", "ratio": 7.0}, "new_fail", True),
        ({"verdict": "CRASH"}, "new_fail", True),
        ({"verdict": "KNOWN"}, "changed", False),
        ({"verdict": "NOT_RUN"}, "changed", False),
        ({"verdict": "INFRA"}, "changed", False),
        ({"ratio": 0.61}, "weaker", True),
        ({"ratio": 0.59}, None, False),
        ({"ratio": 0.2}, "stronger", False),
        ({"us": 31.0}, "model_us", False),
        ({"us": 29.0}, "model_us", False),
        ({"us": 30.3}, None, False),
        ({"mib": 600}, "peak_memory", False),
        ({"mib": 420}, None, False),
    ],
)
def test_planted_change_is_found(change, kind, worse):
    """A planted regression, weakening, speed or memory change is found on its case, and no other."""
    comparison = planted(**change)
    changes = found(comparison)
    assert changes == ({kind: ["case 1"]} if kind else {})
    assert comparison.worse == worse
    if kind:
        assert "case 1" in comparison.to_text()


def test_fixed_case_is_found():
    """A case that failed and passes now is named."""
    before = [record(CASES[0], verdict="FAIL", ratio=7.0), *(record(case) for case in CASES[1:])]
    comparison = compare_runs(run("a", before), run("b", [record(case) for case in CASES]))
    assert [change.name for change in comparison.fixed] == ["case 1"]
    assert not comparison.worse


def test_different_inputs_are_never_compared():
    """A case whose inputs differ is named as such, whatever its figures."""
    comparison = planted(verdict="FAIL", ratio=9.0, digest="other")
    assert comparison.inputs_differ == ("case 1",)
    assert found(comparison) == {}


def test_cases_of_one_run_only_are_counted():
    """Cases that only one run has are counted, not compared."""
    records = [record(case) for case in CASES]
    comparison = compare_runs(run("a", records[:3], CASES[:3]), run("b", records[1:], CASES[1:]))
    assert (comparison.common, comparison.only_a, comparison.only_b) == (2, 1, 2)
    assert found(comparison) == {}


def test_names_tell_duts_apart_where_there_are_several():
    """A name that two DUTs have is given as DUT:NAME, as ``replay`` takes it."""
    cases = (CASES[0], replace(CASES[0], dut="other.kernel"))
    before = [record(case) for case in cases]
    after = [record(case, verdict="FAIL", ratio=7.0) for case in cases]
    comparison = compare_runs(run("a", before, cases), run("b", after, cases))
    assert [change.name for change in comparison.new_fail] == ["toy.double:case 1", "other.kernel:case 1"]


def test_runs_without_a_common_case_are_not_called_equal():
    """Where nothing was compared, that is what is said."""
    records = [record(case) for case in CASES]
    comparison = compare_runs(run("a", records[:2], CASES[:2]), run("b", records[2:], CASES[2:]))
    assert "nothing was compared" in comparison.to_text()
    assert "no difference" not in comparison.to_text()


def test_one_screen_whatever_changes():
    """Many changes are cut to one screen, with their number."""
    cases = tuple(Case(dut="toy.double", params={"rows": n}, name=f"case {n}") for n in range(1, 200))
    before = [record(case) for case in cases]
    after = [replace(record(case, ratio=5.0, us=90.0, mib=900), verdict="FAIL") for case in cases]
    text = compare_runs(run("a", before, cases), run("b", after, cases)).to_text()
    assert len(text.splitlines()) <= 40
    assert "199" in text
