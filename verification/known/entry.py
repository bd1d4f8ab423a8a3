"""One entry of the ledger of known failures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class KnownFailure:
    """A failure that somebody answers for until a date.

    It is of one case, or of all cases of a DUT that fail with one signature.
    """

    reason: str
    author: str
    date: str
    """When it was entered: ISO 8601."""
    expires: str
    """The last day on which it holds: ISO 8601."""
    case: str = ""
    """Id of a case; empty = any case of ``dut``."""
    dut: str = ""
    """Name of a DUT; empty where ``case`` says it."""
    signature: str = ""
    """Verdict, place and kind of the failure, as :func:`verification.known.judging.signature_text` has it; empty = any
    failure of ``case``."""

    @property
    def subject(self) -> str:
        """What it is about, in one line."""
        return " ".join(filter(None, (self.case, self.dut, self.signature)))
