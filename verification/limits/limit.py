"""What a limit is: data and probes. A file of ``known`` describes one; nothing here knows a particular one.

The texts of a limit stand in its file, in both languages, so that adding one touches one file
(docs/limits/index.md has the recipe).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

FORBIDDEN: Final = "forbidden"
"""The form that the limit forbids."""
NEIGHBOUR: Final = "neighbour"
"""A form beside it that is expected to work, to show where the limit ends."""
WORKAROUND: Final = "workaround"
"""What to write instead."""

ACTIVE: Final = "ACTIVE"
"""The form fails with the limit's own error, or gives wrong numbers."""
LIFTED: Final = "LIFTED"
"""The form gives right numbers, and this mode would show it if it did not."""
BLIND: Final = "BLIND"
"""The form gives right numbers, but this mode could not show the fault."""
WORKS: Final = "WORKS"
"""A neighbour or workaround gives right numbers."""
OTHER: Final = "OTHER"
"""It failed, but not in the way by which the limit is known."""
UNKNOWN: Final = "UNKNOWN"
"""Nobody has run it in this mode."""


@dataclass(frozen=True)
class Text:
    """One text in both languages."""

    en: str
    zh: str

    def say(self, language: str) -> str:
        """The text in ``en`` or ``zh``."""
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One small kernel that shows whether one form works."""

    name: str
    """Unique within the limit; part of the case's name."""
    form: str
    """The form in question, as code on one line."""
    build: Callable[[Any], Callable[..., None]]
    """Makes the kernel from the ``pypto`` module: (inputs…, output) → None."""
    inputs: Callable[[int], tuple[Any, ...]]
    """Makes the input tensors of a call from its number."""
    answer: Callable[..., Any]
    """The right output, from the inputs."""
    role: str = FORBIDDEN
    calls: int = 1
    """Calls of one kernel object, one after another."""
    signature: str = ""
    """Regular expression that the limit's own error matches; empty where wrong numbers are its sign."""
    fill: float | None = None
    """What the output holds before the call; None = NaN."""
    blind: Text | None = None
    """Why right numbers in sim prove nothing; None where they do."""
    lint: tuple[str, ...] = ()
    """Rules that ``bsa-verify lint`` reports on this kernel."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """One limit of PyPTO's API."""

    number: int
    """1 to 13 as published; from 14 on ours."""
    title: Text
    statement: Text
    """As published, or, from 14 on, as we found it."""
    workaround: Text
    cause: Text
    """Our analysis."""
    probes: tuple[Probe, ...]
    stress: tuple[str, ...] = ()
    """Names of cases (shell patterns) that run into the limit if a kernel's workaround is missing."""

    def __post_init__(self) -> None:
        names = [probe.name for probe in self.probes]
        if len(set(names)) != len(names):
            raise ValueError(f"limit {self.number}: two probes have one name: {sorted(names)}")

    @property
    def forbidden(self) -> tuple[Probe, ...]:
        """Probes of the forms that it forbids."""
        return tuple(probe for probe in self.probes if probe.role == FORBIDDEN)

    def probe(self, name: str) -> Probe:
        """One probe by name.

        Raises:
            KeyError: there is none.
        """
        for probe in self.probes:
            if probe.name == name:
                return probe
        raise KeyError(f"limit {self.number} has no probe {name!r}")
