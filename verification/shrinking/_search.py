"""The search: greedy, deterministic, within a number of attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stimuli.canonical import reduce_params
from stimuli.case import Case
from stimuli.parameters import BACKWARD_DEFAULTS
from stimuli.suites import BACKWARD_DUT, CHAIN_DUT, FORWARD_DUT
from verification.record import INFRA, NOT_RUN, Record
from verification.shrinking._moves import candidates, plain_candidates
from verification.shrinking._signature import signature
from verification.shrinking._weight import weight

DUTS = (FORWARD_DUT, BACKWARD_DUT, CHAIN_DUT)
"""DUTs whose parameters are those of attention even where a case names none."""
Attempt = Callable[[Case], Record]
"""Runs a case once."""
Watch = Callable[[Case, bool], None]
"""Told of every attempt: the case, and whether it fails in the same way."""


@dataclass(frozen=True, kw_only=True)
class Shrunk:
    """What came of shrinking."""

    case: Case
    """The smallest case found; without a name of its own."""
    record: Record
    """Its failing record."""
    attempts: int
    """How many cases were run, the first included."""
    minimal: bool
    """Whether no candidate of the smallest case fails in the same way; otherwise the attempts were used up."""

    @property
    def signature(self) -> tuple[str, ...]:
        """The failure's signature."""
        return signature(self.record)


def shrink(case: Case, first: Record, attempt: Attempt, *, attempts: int, watch: Watch | None = None) -> Shrunk:
    """Looks for a smaller case with the same failure signature.

    Parameters of attention have moves that know what they mean; those of another DUT are numbers made smaller and
    parameters left out.

    Args:
        case: the failing case.
        first: its failing record.
        attempt: runs a case once.
        attempts: how many cases may be run.
        watch: told of every attempt.

    Returns:
        The smallest case found, ``case`` itself if there is none.
    """
    wanted = signature(first)
    best, record, done = case, first, 0
    tried = {case.id}
    improved = True
    while improved:
        improved = False
        for candidate in _smaller(best):
            if candidate.id in tried:
                continue
            if done >= attempts:
                return Shrunk(case=best, record=record, attempts=done, minimal=False)
            tried.add(candidate.id)
            done += 1
            found = attempt(candidate)
            same = found.verdict not in (INFRA, NOT_RUN) and signature(found) == wanted
            if watch is not None:
                watch(candidate, same)
            if same:
                best, record, improved = candidate, found, True
                break
    return Shrunk(case=best, record=record, attempts=done, minimal=True)


def _smaller(case: Case) -> Iterator[Case]:
    """Candidates that weigh less."""
    attention = case.dut in DUTS or (bool(case.params) and set(case.params) <= set(BACKWARD_DEFAULTS))
    defaults: Mapping[str, Any] = BACKWARD_DEFAULTS if attention else {}
    full = {**defaults, **case.params}
    limit = weight(case, full)
    for program in _programs(case):
        yield replace(case, program=program, **_UNNAMED)
    for params in candidates(full, defaults) if attention else plain_candidates(full):
        candidate = replace(case, params=reduce_params(params, defaults) if attention else params, **_UNNAMED)
        if weight(candidate, params) < limit:
            yield candidate


_UNNAMED: Mapping[str, Any] = {"name": "", "source": "", "expect": "pass"}


def _programs(case: Case) -> Iterator[dict[str, Any]]:
    """Fewer calls."""
    if case.program["kind"] == "repeat" and case.program.get("times", 2) > 2:
        yield {"kind": "repeat", "times": 2}
    if case.program["kind"] != "once":
        yield {"kind": "once"}
