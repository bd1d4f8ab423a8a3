"""Failures with one signature are one bucket."""

from __future__ import annotations

import pytest

from reports import view
from reports.bucket import mask
from tests.reports import samples


def test_same_outputs_rules_and_cause_are_one_bucket() -> None:
    """Two cases with a doubled output belong together, whatever their numbers are."""
    bucket = view(samples.failing_run()).buckets[0]
    assert [row.name for row in bucket.rows] == ["S256 Sparse50", "S512 Sparse70"]
    assert (bucket.signature.where, bucket.signature.cause) == ("out: maximum, row", "every value is doubled")


def test_different_outputs_are_different_buckets() -> None:
    """A wrong LSE is not a wrong output."""
    where = {bucket.signature.where for bucket in view(samples.failing_run()).buckets}
    assert {"out: maximum, row", "lse: lse"} <= where


def test_largest_bucket_first_and_incomplete_cases_last() -> None:
    """What failed most often is read first; what has no verdict comes after every failure."""
    found = view(samples.failing_run()).buckets
    assert len(found[0].rows) == max(len(bucket.rows) for bucket in found)
    assert found[-1].signature.verdict == "NOT_RUN"


def test_deaths_with_the_same_reason_are_one_bucket() -> None:
    """Numbers and addresses in a reason do not split a bucket, and its title keeps the first case's own."""
    entries = samples.published_entries()[:3]
    records = [
        samples.empty_record(entries[0], "CRASH", "killed by signal 11 at 0x7f00aa after 3.2 s"),
        samples.empty_record(entries[1], "CRASH", "killed by signal 11 at 0x11 after 41 s"),
        samples.empty_record(entries[2], "CRASH", "exit code 1 without a record"),
    ]
    found = view(samples.run(entries, records)).buckets
    assert [(len(b.rows), b.title) for b in found] == [
        (2, "killed by signal 11 at 0x7f00aa after 3.2 s"),
        (1, "exit code 1 without a record"),
    ]


def test_passes_and_known_failures_are_in_no_bucket() -> None:
    """Buckets hold what somebody has to look at."""
    rows = [row for bucket in view(samples.failing_run()).buckets for row in bucket.rows]
    assert {row.verdict for row in rows}.isdisjoint({"PASS", "KNOWN"})


def test_broken_integrity_is_a_signature() -> None:
    """A run whose inputs changed fails by that, not by an output."""
    (one,) = samples.published_entries()[:1]
    broken = samples.check("integrity:inputs", 2.0, detail="query changed")
    (bucket,) = view(samples.run((one,), [samples.record(one, "FAIL", "why", integrity=(broken,))])).buckets
    assert bucket.signature.where == "integrity:inputs"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("at 0x7fff12ab", "at #"),
        ("case 0123456789ab died", "case # died"),
        ("3.25 s  of\n600", "# s of #"),
        ("no digits", "no digits"),
    ],
)
def test_mask(text: str, masked: str) -> None:
    """Addresses, hashes and numbers become #, runs of space one space."""
    assert mask(text) == masked
