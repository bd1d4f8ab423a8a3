"""The view: everything that any renderer shows, worked out once from (records, plan)."""

from __future__ import annotations

from dataclasses import dataclass

from reports.bucket import Bucket, buckets
from reports.causes import Cause, causes
from reports.coverage import coverages
from reports.distribution import Distribution, distributions
from reports.environment import commit, dirty, environment, finished
from reports.kernels import Kernels, kernels
from reports.known import Answered, known_failures
from reports.row import Row
from reports.standards import Opinion, opinions
from reports.summary import Summary, summarise
from verification.coverage import Coverage
from verification.fidelity import LEDGER, Blind
from verification.record import Record
from verification.runs import Run
from verification.verdicts import final


@dataclass(frozen=True, kw_only=True)
class View:
    """One run, ready to be rendered."""

    run: Run
    rows: tuple[Row, ...]
    """One per case of the plan, in its order."""
    summary: Summary
    buckets: tuple[Bucket, ...]
    known: tuple[Answered, ...]
    """The ledger of known failures that the run was planned with."""
    causes: tuple[Cause, ...]
    """Failed cases by cause."""
    distributions: tuple[Distribution, ...]
    opinions: tuple[Opinion, ...]
    coverage: tuple[Coverage, ...]
    """One per DUT that declares a stimulus space."""
    kernels: tuple[Kernels, ...]
    """One per DUT whose records say what its kernels executed."""
    environment: tuple[tuple[str, str], ...]
    finished: str
    commit: str
    dirty: bool
    unplanned: int
    """Records of cases that the plan does not hold; they count for nothing."""
    ledger: tuple[Blind, ...] = LEDGER

    @property
    def duts(self) -> tuple[str, ...]:
        """DUTs of the plan, in its order."""
        return tuple(dict.fromkeys(row.dut for row in self.rows))

    def of(self, dut: str) -> tuple[Row, ...]:
        """Rows of one DUT."""
        return tuple(row for row in self.rows if row.dut == dut)

    def output_names(self, dut: str) -> tuple[str, ...]:
        """Names of the outputs that one DUT's records hold, in order of first appearance."""
        return tuple(dict.fromkeys(output.name for row in self.of(dut) for output in row.outputs))


def rows_of(run: Run) -> tuple[Row, ...]:
    """One row per case of the plan, in its order."""
    by_case: dict[str, list[Record]] = {entry.case_id: [] for entry in run.plan.entries}
    for record in sorted(run.records, key=lambda record: record.attempt):
        if record.case_id in by_case:
            by_case[record.case_id].append(record)
    finals = final(run.plan, run.records)
    return tuple(
        Row(
            entry=entry,
            final=finals[entry.case_id],
            attempts=tuple(by_case[entry.case_id]),
            run=run.path.as_posix(),
        )
        for entry in run.plan.entries
    )


def view(run: Run) -> View:
    """Works out the view of a run."""
    rows = rows_of(run)
    planned = {row.case_id for row in rows}
    return View(
        run=run,
        rows=rows,
        summary=summarise(rows),
        buckets=buckets(rows),
        known=known_failures(run.plan.known, rows, finished(run)),
        causes=causes(rows),
        distributions=distributions(rows),
        opinions=opinions(rows),
        coverage=coverages(run),
        kernels=kernels(rows, run.path),
        environment=environment(run),
        finished=finished(run),
        commit=commit(run),
        dirty=dirty(run),
        unplanned=sum(record.case_id not in planned for record in run.records),
    )
