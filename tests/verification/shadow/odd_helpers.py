"""Ordinary functions that kernels call while they are traced, in another file than the kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pypto


def doubled(tile: Any) -> Any:
    """Two ways to the same, so that an early return leaves lines out."""
    factor = 2.0  # doubled: factor
    if factor > 1.0:  # doubled: if
        return pypto.mul(tile, factor)  # doubled: early return
    return pypto.add(tile, tile)  # doubled: late return


def tripled(tile: Any) -> Any:
    """Called from one arm only."""
    return pypto.mul(tile, 3.0)  # tripled


def shared(number: int) -> int:
    """Called by the host and by a kernel's arm."""
    return number + 0  # shared


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of the user's own."""

    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)  # wrapper

    return wrapper


@logged
def halved(tile: Any) -> Any:
    """Decorated."""
    return pypto.mul(tile, 0.5)  # halved


def summed(tiles: list[Any]) -> Any:
    """With a comprehension and a lambda."""
    scale = lambda tile: pypto.mul(tile, 1.0)  # noqa: E731  # summed: lambda
    scaled = [scale(tile) for tile in tiles]  # summed: comprehension
    total = scaled[0]  # summed: first
    for one in scaled[1:]:  # summed: loop
        total = pypto.add(total, one)  # summed: body
    return total  # summed: return
