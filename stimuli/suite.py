"""A suite: a named, ordered list of cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from stimuli.case import Case


@dataclass(frozen=True, kw_only=True)
class SuiteSpec:
    """A named, ordered list of cases with the gates that apply to them."""

    name: str
    title: str
    cases: Sequence[Case]
    gates: tuple[str, ...] = ()
    """Additional gates, for example ``published``."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that ``--cases`` accepts, each standing for case names: ``quick``."""
    nightly: bool = False
    first: Callable[[int], tuple[Case, ...]] | None = None
    """Of a suite without an end, its first cases, as many as asked for: ``soak:1000``."""
