"""Workarounds taken out of our kernels, one at a time: what must be caught, by which cases."""

from __future__ import annotations

from collections.abc import Mapping

REMOVALS: tuple[tuple[int, str], ...] = ()


def caught_by() -> Mapping[int, tuple[str, ...]]:
    """By limit, the cases that catch the removal of its workaround."""
    return {}
