"""What the ledger of known failures makes of a record, before it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verification.known.entry import KnownFailure
from verification.record import FAIL, KNOWN, PASS, Record
from verification.shrinking import signature
from verification.verdicts import FAILED


def signature_text(record: Record) -> str:
    """The signature of a failure as entries of the ledger have it: ``FAIL dk value``."""
    return " ".join(filter(None, signature(record)))


def judged(record: Record, entries: Iterable[KnownFailure]) -> Record:
    """A record with the verdict that the ledger gives it.

    Args:
        record: an attempt as it was judged without the ledger.
        entries: the ledger.

    Returns:
        KNOWN for a failure that an entry describes; with its own verdict and a reason that says so, if that entry has
        expired by the day on which the attempt ended; FAIL for a pass that an entry of this very case says cannot be;
        else the record as it is.
    """
    if record.verdict == PASS:
        return next((_outlived(record, one) for one in entries if one.case == record.case_id), record)
    if record.verdict not in FAILED:
        return record
    fitting = [one for one in entries if _describes(one, record)]
    valid = [one for one in fitting if record.finished[:10] <= one.expires]
    if valid:
        return replace(record, verdict=KNOWN, reason=_words(valid[0], record))
    if fitting:
        expired = f"its entry in the ledger of known failures expired on {fitting[0].expires}"
        return replace(record, reason=f"{record.reason} ({expired})")
    return record


def _describes(entry: KnownFailure, record: Record) -> bool:
    """Whether an entry is about this failure: case, DUT and signature, as far as it names them."""
    return (
        entry.case in ("", record.case_id)
        and entry.dut in ("", record.case["dut"])
        and entry.signature in ("", signature_text(record))
    )


def entry_of(record: Record, entries: Iterable[KnownFailure]) -> KnownFailure | None:
    """The entry that made a record KNOWN; None where none of these did.

    Args:
        record: as it was written.
        entries: the ledger of its run.
    """
    if record.verdict != KNOWN:
        return None
    return next((one for one in entries if record.reason.startswith(f"{_answer(one)}; ")), None)


def _words(entry: KnownFailure, record: Record) -> str:
    return f"{_answer(entry)}; {record.verdict}: {record.reason}"


def _answer(entry: KnownFailure) -> str:
    """Why, who answers for it, and until when."""
    return f"{entry.reason} ({entry.author}, {entry.date}, until {entry.expires})"


def _outlived(record: Record, entry: KnownFailure) -> Record:
    why = f"passes, though the ledger of known failures says it fails: take the entry of {entry.subject} out"
    return replace(record, verdict=FAIL, reason=why)
