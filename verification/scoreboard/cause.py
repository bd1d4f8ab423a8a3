"""What a pattern of errors looks like: the values first, then the places."""

from __future__ import annotations

from verification.scoreboard import cause_copies, cause_places, cause_values
from verification.scoreboard.evidence import Evidence


def explain(evidence: Evidence) -> tuple[str, float | None]:
    """The cause in words, empty if nothing fits, and found ÷ expected where one number explains the error."""
    if not evidence.failing.any():
        return "", None
    found = (recognise(evidence) for recognise in (*cause_values.RECOGNISERS, *cause_copies.RECOGNISERS))
    value = next((finding for finding in found if finding is not None), None)
    place = next(filter(None, (recognise(evidence) for recognise in cause_places.RECOGNISERS)), "")
    text = "; ".join(part for part in (value.text if value else "", place) if part)
    return text, value.ratio if value else None
