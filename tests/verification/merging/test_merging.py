"""Merging is set union: order, grouping and repetition do not matter, and a conflict is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import make_record

from stimuli.case import Case
from verification.merging import MergeConflictError, merge_records, merge_runs
from verification.plan import Budget, Plan, PlanEntry
from verification.runs import Run

RECORDS = st.builds(
    lambda run, case, attempt: replace(make_record(case, attempt=attempt), run_id=run),
    st.sampled_from(("run a", "run b")),
    st.sampled_from(("c1", "c2", "c3")),
    st.integers(1, 3),
)
SETS = st.lists(RECORDS, max_size=6)


@given(SETS, SETS)
def test_commutative(left, right):
    """The order of the sets does not matter."""
    assert merge_records(left, right) == merge_records(right, left)


@given(SETS, SETS, SETS)
def test_associative(one, two, three):
    """How the sets are grouped does not matter."""
    assert merge_records(merge_records(one, two), three) == merge_records(one, merge_records(two, three))


@given(SETS)
def test_idempotent(records):
    """Merging a set with itself changes nothing."""
    once = merge_records(records)
    assert merge_records(once, once, records) == once


@given(SETS, RECORDS)
def test_conflict_is_refused(records, record):
    """One key with two contents is refused, by name, in either order."""
    other = replace(record, reason="edited later")
    for pair in ((record, other), (other, record)):
        with pytest.raises(MergeConflictError, match=record.case_id):
            merge_records(records, pair[:1], pair[1:])


def test_other_inputs_are_refused():
    """The same case with other inputs is another case: its results are never put together."""
    case = Case(dut="toy.double", params={})
    runs = [made_run(name, case, {"x": digest}) for name, digest in (("a", "one"), ("b", "other"))]
    with pytest.raises(MergeConflictError, match="other inputs in run b than in run a"):
        merge_runs(runs)
    same = [made_run(name, case, {"x": "one"}) for name in ("a", "b")]
    assert len(merge_runs(same).records) == 2


def made_run(name, case, digests):
    record = replace(make_record(case.id, input_digests=digests), run_id=name)
    plan = Plan(
        run_id=name,
        created=name,
        command=(),
        run_mode="sim",
        backend="sim",
        pass_filter="none",
        budget=Budget(),
        entries=(PlanEntry(case=case, suites=("toy",)),),
    )
    return Run(path=Path(name), plan=plan, records=(record,), manifest={})
