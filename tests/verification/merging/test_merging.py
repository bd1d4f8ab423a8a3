"""Merging is set union: order, grouping and repetition do not matter, and a conflict is refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import make_record

from verification.merging import MergeConflictError, merge_records

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
