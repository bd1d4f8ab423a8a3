"""What makes two failures the same, whatever the sizes of their cases."""

from __future__ import annotations

from verification.record import FAIL, Record

ZEROS_AND_NANS = ("structure", "form")
"""Rules whose failure is of another kind than a number that is off."""


def signature(record: Record) -> tuple[str, ...]:
    """The signature of a failure.

    Returns:
        The verdict, and what failed first: an output with the kind of its failure (``structure``, ``form``, a relation,
        or ``value`` for every other rule), a check on the run, or the exception or signal that ended it.
    """
    for output in record.outputs:
        for check in output.checks:
            if not check.passed:
                return (record.verdict, output.name.split("@")[0], _kind(check.rule))
    for check in record.integrity:
        if not check.passed:
            return (record.verdict, "run", check.rule)
    if record.verdict == FAIL:
        return (record.verdict, "ended", record.reason.split(":")[0])
    return (record.verdict, "ended", str(record.signal or ""))


def _kind(rule: str) -> str:
    return rule if rule in ZEROS_AND_NANS or ":" in rule else "value"
