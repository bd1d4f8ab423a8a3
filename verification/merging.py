"""Merging runs and their records: set union keyed by (run id, case id, attempt)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bsa.messages import text
from verification.plan import Plan, merge_entries
from verification.record import Record
from verification.runs import Run

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


def merge_runs(runs: Sequence[Run]) -> Run:
    """One run that holds what several hold: every case of their plans, every record.

    The verdict on a case is over the attempts of all runs: where they disagree it is FLAKY.

    Args:
        runs: at least one.

    Raises:
        MergeConflictError: run mode, pass filter or planted fault differ, or the inputs of a case do, or one key has
            two contents: such records are never compared.
        ValueError: an expectation of a case differs.
    """
    ordered = sorted(runs, key=lambda run: (run.plan.created, run.plan.run_id))
    for name in ("run_mode", "pass_filter", "fault"):
        found = sorted({str(getattr(run.plan, name)) for run in ordered})
        if len(found) > 1:
            raise MergeConflictError(text("error.merge.differ", what=name, found=", ".join(map(repr, found))))
    records = merge_records(*(run.records for run in ordered))
    _refuse_other_inputs(records)
    newest = ordered[-1]
    open_ = next((run for run in ordered if len({one.case_id for one in run.records}) < len(run.plan.entries)), newest)
    return Run(
        path=open_.path,
        plan=replace(
            newest.plan,
            run_id=" + ".join(dict.fromkeys(run.plan.run_id for run in ordered)),
            entries=merge_entries(entry for run in ordered for entry in run.plan.entries),
            selection=_selection([run.plan for run in ordered]),
        ),
        records=records,
        manifest={**newest.manifest, "dirty": any(run.manifest.get("dirty") for run in ordered)},
        events=tuple(event for run in ordered for event in run.events),
        torn=sum(run.torn for run in ordered),
    )


def _selection(plans: Sequence[Plan]) -> dict[str, list[str]]:
    """What was asked for: the union; no cases are named if one run took all of its suites."""
    asked = {key: sorted({one for plan in plans for one in plan.selection.get(key, ())}) for key in _ASKED}
    if any(not plan.selection.get("cases") for plan in plans):
        asked["cases"] = []
    return asked


_ASKED = ("suites", "duts", "cases")


def _refuse_other_inputs(records: Iterable[Record]) -> None:
    seen: dict[str, Record] = {}
    for record in records:
        if record.input_digests:
            first = seen.setdefault(record.case_id, record)
            if dict(first.input_digests) != dict(record.input_digests):
                words = {"case": record.case_id, "a": first.run_id, "b": record.run_id}
                raise MergeConflictError(text("error.merge.inputs", **words))
