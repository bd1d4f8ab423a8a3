"""Merging records of several runs: set union keyed by (run id, case id, attempt)."""

from __future__ import annotations

from collections.abc import Iterable

from verification.record import Record

Key = tuple[str, str, int]


class MergeConflictError(ValueError):
    """Two records have one key and different content: one of them was edited, or an id was used twice."""


def key(record: Record) -> Key:
    """What identifies a record: run, case, attempt."""
    return record.run_id, record.case_id, record.attempt


def merge_records(*sets: Iterable[Record]) -> tuple[Record, ...]:
    """The union of several sets of records, sorted by key.

    Commutative, associative and idempotent: the result depends on the set of records alone.

    Raises:
        MergeConflictError: one key has two contents; the message names it.
    """
    merged: dict[Key, Record] = {}
    for records in sets:
        for record in records:
            known = merged.setdefault(key(record), record)
            if known.to_json() != record.to_json():
                raise MergeConflictError(
                    f"record {key(record)}: two records with this key differ; keep one of the runs"
                )
    return tuple(merged[one] for one in sorted(merged))
