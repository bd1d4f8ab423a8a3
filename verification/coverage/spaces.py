"""The stimulus space of a DUT."""

from __future__ import annotations

from collections.abc import Mapping

from stimuli.space import Space
from verification.dut import Dut


def space_of(duts: Mapping[str, Dut], name: str) -> Space | None:
    """The space that a DUT declares as its attribute ``space``; None if it declares none, or is not there."""
    space = getattr(duts.get(name), "space", None)
    return space if isinstance(space, Space) else None
