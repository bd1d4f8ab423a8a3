"""Which records count for coverage, and the bins they lie in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stimuli.space import Space
from verification.record import CRASH, FAIL, FLAKY, KNOWN, MEMORY, PASS, TIMEOUT, Record
from verification.runs import Run
from verification.verdicts import final

RAN = ("interpreter", "device")
"""Stages that execute a kernel; what only compiled proves no values."""
JUDGED = (PASS, KNOWN, FAIL, FLAKY, CRASH, TIMEOUT, MEMORY)
"""Verdicts on the DUT. Cases ended from outside, not run or without a reference say nothing of it."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one judged case shows."""

    case_id: str
    passed: bool
    executed: bool
    """Whether the kernel ran: a case that gave it nothing to do covers derived bins only."""
    bins: dict[str, str | None]
    """Bin of every generated axis; None = outside all bins."""
    derived: dict[str, str | None]


def seen(space: Space, dut: str, run_mode: str, runs: Iterable[Run]) -> list[Seen]:
    """The cases of some runs that count for a DUT in a run mode.

    Synthetic records and cases whose expectation is not to pass are left out.

    Args:
        space: the DUT's space.
        dut: its name.
        run_mode: ``sim`` or ``npu``; the two never mix.
        runs: where to look.
    """
    finals = [one for run in runs if run.plan.run_mode == run_mode for one in final(run.plan, run.records).values()]
    return [
        _seen(space, one.record, one.verdict)
        for one in finals
        if one.record is not None and one.verdict in JUDGED and _counts(one.record, dut)
    ]


def _counts(record: Record, dut: str) -> bool:
    return record.case["dut"] == dut and not record.synthetic and record.case.get("expect", "pass") == "pass"


def _seen(space: Space, record: Record, verdict: str) -> Seen:
    params = {**space.parameters, **record.case["params"]}
    facts = {**record.facts, "pass_filter": record.measurement.pass_filter}
    return Seen(
        case_id=record.case_id,
        passed=verdict == PASS,
        executed=bool(set(record.measurement.stages) & set(RAN)) or verdict == CRASH,
        bins=space.observe(params),
        derived={axis.name: axis.observe(params, facts) for axis in space.derived},
    )
