"""What a backend saw when it ran one attempt, before anything is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verification.record import Measurement

if TYPE_CHECKING:
    import torch

RETURNED = "returned"
"""Every call of the program came back."""
RAISED = "raised"
"""A call raised an exception; ``error`` says which."""
CRASHED = "crashed"
"""The child died by a signal or exited without an answer."""
TIMED_OUT = "timed-out"
"""We ended the child: its time budget was used up."""
OUT_OF_MEMORY = "out-of-memory"
"""We ended the child, or the kernel did: its memory budget was used up."""
INTERRUPTED = "interrupted"
"""The attempt was ended from outside, by a signal that nobody here sent."""


@dataclass(frozen=True, kw_only=True)
class Raised:
    """An exception of the DUT."""

    kind: str
    """The class's name."""
    message: str
    rule: str = ""
    """The rule of a ``bsa.ContractError``; empty otherwise."""
    trace: str = ""


@dataclass(frozen=True, kw_only=True)
class Returned:
    """What one call of the program left."""

    outputs: Mapping[str, torch.Tensor]
    digests_before: Mapping[str, str]
    digests_after: Mapping[str, str]
    shared: tuple[str, ...] = ()
    """Outputs that share storage with an input, as ``output = input``."""
    tasks_expected: bool = True


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One attempt, as the backend saw it."""

    ended: str
    calls: tuple[Returned, ...] = ()
    error: Raised | None = None
    measurement: Measurement = field(default_factory=Measurement)
    log_found: bool = True
    """Whether the run left the log that shows which stages ran."""
    replay_differs: str | None = None
    """How our replay of the launches differs from PyPTO's account of them; empty = it does not, None = no replay."""
    signal: int | None = None
    exit_code: int | None = None
    why: str = ""
    """One line on how it ended, where the other fields do not say it."""
    stderr_tail: str = ""
