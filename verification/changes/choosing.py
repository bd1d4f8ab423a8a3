"""The cases that an edit concerns, in the order that shows a failure soonest."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verification.changes.edits import Touched, line_map, touched
from verification.changes.imports import importers
from verification.changes.ran import DIGEST, LINES, digest
from verification.changes.texts import kept_text, text_at, text_now
from verification.journal import JournalError
from verification.plan import PlanEntry
from verification.record import INFRA, NO_REFERENCE, NOT_RUN, PASS, Record
from verification.runs import list_runs, read_run
from verification.shadow.account import resolve
from verification.shadow.words import lines_from_words


@dataclass(frozen=True, kw_only=True)
class Last:
    """The last time that a case ran."""

    record: Record
    folder: Path
    """The run's."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What to run, and what not."""

    changed: tuple[PlanEntry, ...] = ()
    """Their last record ran something that is changed, or cannot say."""
    new: tuple[PlanEntry, ...] = ()
    """They have no record."""
    entries: tuple[PlanEntry, ...] = ()
    """Both: those that failed last, then by seconds per touched statement that they ran."""
    left: tuple[PlanEntry, ...] = ()
    """Their last record ran nothing that is changed."""
    left_failing: tuple[PlanEntry, ...] = ()
    """Those of ``left`` that did not pass."""
    speaks_of: frozenset[Path] = frozenset()
    """Files that some record knows of."""


def choose(
    entries: Sequence[PlanEntry],
    last: Mapping[str, Last],
    *,
    since: str | None,
    seconds: Callable[[PlanEntry], float],
) -> Choice:
    """Splits cases by whether an edit concerns them.

    Args:
        entries: those that may run.
        last: their last records, by case id.
        since: a git revision: what differs from it counts as changed, also where the record is newer; None = what
            differs from the record's own text.
        seconds: estimate for a case without a record.
    """
    edits = _Edits(since)
    weights = {entry.case_id: edits.weight(last[entry.case_id]) for entry in entries if entry.case_id in last}
    chosen = {case_id for case_id, weight in weights.items() if weight > 0}
    chosen |= _witnesses(last, {entry.case_id for entry in entries} - chosen, chosen, edits)
    changed = tuple(entry for entry in entries if entry.case_id in chosen)
    new = tuple(entry for entry in entries if entry.case_id not in last)
    left = tuple(entry for entry in entries if entry.case_id in last and entry.case_id not in chosen)

    def order(entry: PlanEntry) -> tuple[bool, float]:
        before = last.get(entry.case_id)
        cost = seconds(entry) if before is None else before.record.measurement.wall_s or seconds(entry)
        failed = before is not None and before.record.verdict != PASS
        return not failed, cost / max(1.0, weights.get(entry.case_id, 1.0))

    files = {file for one in last.values() for file in one.record.measurement.ran}
    return Choice(
        changed=changed,
        new=new,
        entries=tuple(sorted((*changed, *new), key=order)),
        left=left,
        left_failing=tuple(entry for entry in left if last[entry.case_id].record.verdict != PASS),
        speaks_of=frozenset(path for file in files if (path := resolve(file))),
    )


def last_records(case_ids: Iterable[str], *, backend: str, out: Path) -> dict[str, Last]:
    """The last judged record of each case over all runs, faults that were planted left out.

    Args:
        case_ids: the cases.
        backend: records of another one say nothing about this.
        out: folder of the runs.
    """
    wanted = set(case_ids)
    found: dict[str, Last] = {}
    for folder in reversed(list_runs(out)):
        if not wanted:
            break
        with contextlib.suppress(OSError, ValueError, JournalError):
            run = read_run(folder)
            if run.plan.fault or run.plan.backend != backend:
                continue
            judged = [one for one in run.records if one.verdict not in (INFRA, NOT_RUN, NO_REFERENCE)]
            for record in sorted(judged, key=lambda one: one.attempt):
                if record.case_id in wanted:
                    found[record.case_id] = Last(record=record, folder=folder)
            wanted -= found.keys()
    return found


@dataclass
class _Edits:
    """What is changed, as seen from the texts that records ran."""

    since: str | None
    _touched: dict[tuple[str, str], Touched] = field(default_factory=dict)

    def weight(self, last: Last) -> float:
        """How much of what a record ran is changed: 0 for nothing."""
        seen = last.record.measurement.ran
        if not seen or _broke_off(last.record):
            return 1.0
        edits = {file: self.of(file, one[DIGEST], last.folder) for file, one in seen.items()}
        hits = sum(one.hits(lines_from_words(seen[file][LINES])) for file, one in edits.items())
        roots = {file for file, one in edits.items() if one.outside}
        if roots and any(seen[file][LINES] for file in importers(roots, seen)):
            hits += 1
        return float(hits)

    def of(self, file: str, wanted: str, folder: Path) -> Touched:
        """What is touched of the text that a record ran."""
        key = (file, wanted)
        if key not in self._touched:
            self._touched[key] = self._compared(file, wanted, folder)
        return self._touched[key]

    def _compared(self, file: str, wanted: str, folder: Path) -> Touched:
        path = resolve(file)
        now = "" if path is None else text_now(path)
        ran = _text_that_ran(now, wanted, folder)
        if ran is None:
            return Touched(outside=True)
        found = touched(ran, now)
        before = None if self.since is None or path is None else text_at(path, self.since)
        if before is None or before == ran:
            return found
        newer = touched(now, before)
        back = line_map(now, ran)
        units = [frozenset(back[line] for line in unit if line in back) for unit in newer.units]
        return Touched(units=(*found.units, *(unit for unit in units if unit)), outside=found.outside or newer.outside)


def _text_that_ran(now: str, wanted: str, folder: Path) -> str | None:
    return now if digest(now.encode("utf-8", "replace")) == wanted else kept_text(folder, wanted)


def _broke_off(record: Record) -> bool:
    """Whether a case failed before there was anything to judge: what it would have run, nobody knows."""
    return record.verdict != PASS and not record.outputs


def _witnesses(last: Mapping[str, Last], others: set[str], chosen: set[str], edits: _Edits) -> set[str]:
    """For each kernel file in which an edit is compiled by cases that never run it: the cheapest of them.

    What no launch runs can still keep every launch from being compiled.
    """
    compiled: dict[str, list[str]] = {}
    for case_id in sorted({*others, *chosen} & last.keys()):
        one = last[case_id]
        for file, seen in one.record.measurement.executed.items():
            ran = one.record.measurement.ran.get(file)
            if ran is not None and edits.of(file, ran[DIGEST], one.folder).hits(lines_from_words(seen["traced"])):
                compiled.setdefault(file, []).append(case_id)
    cheapest = [
        min(ids, key=lambda case_id: last[case_id].record.measurement.wall_s or 0.0)
        for ids in compiled.values()
        if not chosen & set(ids)
    ]
    return set(cheapest)
