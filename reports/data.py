"""The report as JSON, for programs: verdicts and figures, the same in every language."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from reports import kernels
from reports.coverage import all_of
from reports.row import Row
from reports.speed import model_error
from reports.standards import Opinion
from reports.summary import Share
from reports.view import View

SCHEMA = 1


def render(view: View) -> str:
    """The report as JSON text. Non-finite numbers are the strings ``nan``, ``inf`` and ``-inf``, as in records."""
    return json.dumps(plain(_report(view)), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Data with its non-finite numbers as strings."""
    if isinstance(value, float) and value - value != 0.0:
        return "nan" if value != value else ("inf" if value > 0 else "-inf")  # noqa: PLR0124 - NaN test
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _report(view: View) -> dict[str, Any]:
    summary, plan = view.summary, view.run.plan
    error = model_error(view.rows)
    return {
        "schema": SCHEMA,
        "run_id": plan.run_id,
        "run_mode": plan.run_mode,
        "backend": plan.backend,
        "commit": view.commit,
        "dirty": view.dirty,
        "finished": view.finished,
        "may_merge": summary.may_merge,
        "answer": summary.answer,
        "counts": dict(summary.counts),
        "total": _share(summary.total),
        "suites": {share.name: _share(share) for share in summary.suites},
        "synthetic": summary.synthetic,
        "torn_lines": view.run.torn,
        "unplanned_records": view.unplanned,
        "cases": [_case(row) for row in view.rows],
        "buckets": [
            {**dataclasses.asdict(bucket.signature), "cases": [row.case_id for row in bucket.rows]}
            for bucket in view.buckets
        ],
        "known": [
            {
                "entry": dataclasses.asdict(one.entry) if one.entry else None,
                "state": one.state,
                "reason": one.reason,
                "cases": [row.case_id for row in one.rows],
            }
            for one in view.known
        ],
        "causes": [
            {
                "cause": one.text,
                "output": one.output,
                "location": one.place,
                "suspects": list(one.lines),
                "cases": [row.case_id for row in one.rows],
            }
            for one in view.causes
        ],
        "standards": [_opinion(one) for one in view.opinions],
        "coverage": all_of(view.coverage),
        "kernels": [kernels.plain(one) for one in view.kernels],
        "model_error": dataclasses.asdict(error) if error else None,
        "fidelity": [dataclasses.asdict(blind) for blind in view.ledger],
        "environment": dict(view.environment),
    }


def _share(share: Share) -> dict[str, int]:
    return {"passed": share.passed, "total": share.total, "multi_block": share.multi_block}


def _case(row: Row) -> dict[str, Any]:
    measured = row.measurement
    return {
        "case_id": row.case_id,
        "name": row.name,
        "dut": row.dut,
        "suites": list(row.entry.suites),
        "seed": row.entry.case.seed,
        "verdict": row.verdict,
        "reason": row.final.reason,
        "attempts": row.final.attempts,
        "deciding_attempt": row.record.attempt if row.record else None,
        "synthetic": row.synthetic,
        "multi_block": row.multi_block,
        "ratio": row.ratio,
        "outputs": {output.name: _output(row, output.name) for output in row.outputs},
        "model_us": measured.model_us,
        "published_us": row.published_us,
        "wall_s": measured.wall_s,
        "cpu_s": measured.cpu_s,
        "peak_bytes": measured.peak_bytes,
        "replay": row.replay,
    }


def _output(row: Row, name: str) -> dict[str, Any]:
    output = next(one for one in row.outputs if one.name == name)
    return {
        "passed": output.passed,
        "ratio": output.ratio,
        "max_error": output.max_error,
        "published": row.published_maximum(name),
        "failed_rules": [check.rule for check in output.checks if not check.passed],
        "location": output.location.text if output.location else None,
        "cause": output.location.cause if output.location else None,
        "suspects": list(output.location.suspects) if output.location else [],
        "digest": output.digest,
    }


def _opinion(one: Opinion) -> dict[str, Any]:
    return {
        "dut": one.dut,
        "output": one.output,
        "standard": one.standard,
        "accepted": one.accepted,
        "total": one.total,
        "stricter": [row.case_id for row in one.stricter],
        "laxer": [row.case_id for row in one.laxer],
        "worst_ratio": one.ratio,
        "worst_case": one.worst.case_id,
    }
