"""Whether every offset of a launch fits in 32 bits, at any size: only the ends of each loop are replayed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from stimuli.case import Case
from verification.sanitizer.finding import Finding
from verification.sanitizer.sanitizer import LARGEST_OFFSET, Sanitizer
from verification.shadow import Launched, replay


@runtime_checkable
class Sized(Protocol):
    """A DUT that can say what it would launch, without the tensors of the call."""

    def sized_launch(self, case: Case) -> Launched:
        """The launch of a dense case."""
        ...


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How far one argument of the kernel is read or written."""

    name: str
    shape: tuple[int, ...]
    element: int
    """Number of the last element, row by row."""
    byte: int
    """Where it begins, in bytes."""

    @property
    def fits(self) -> bool:
        """Whether the element's number fits in 32 bits."""
        return self.element <= LARGEST_OFFSET


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What a launch would touch."""

    extents: tuple[Extent, ...]
    """Every argument that is touched, the kernel's order; a table counts as a whole."""
    findings: tuple[Finding, ...]

    @property
    def fits(self) -> bool:
        """Whether every element's number fits in 32 bits and nothing else was found."""
        return all(one.fits for one in self.extents) and all(
            one.excuse or one.kind == "offset-bytes" for one in self.findings
        )


def check_size(launched: Launched) -> Sizes:
    """Replays the first and last iteration of every loop.

    Args:
        launched: a launch with the shapes and tables to check; tables may compute their rows when asked.

    Raises:
        NotReplayableError: see :func:`verification.shadow.replay`.
    """
    sanitizer = Sanitizer()
    replay(launched, [sanitizer], ends_only=True)
    extents = []
    for number in launched.trace.arguments:
        info = launched.trace.tensors[number]
        table = info.name in launched.tables
        element = math.prod(launched.shapes[info.name]) - 1 if table else sanitizer.extents.get(info.name)
        if element is not None:
            extents.append(
                Extent(
                    name=info.name,
                    shape=tuple(launched.shapes[info.name]),
                    element=element,
                    byte=element * info.element_bytes,
                )
            )
    return Sizes(extents=tuple(extents), findings=sanitizer.findings)
