"""Completions of partial assignments, drawn axis by axis among what the rules leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stimuli.random import Stream
from stimuli.space.tables import OPEN, Rows, Tables

BITS = 24
"""Random bits of one choice."""


def choose(allowed: npt.NDArray[np.bool_], weights: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> Rows:
    """One bin per row, with the weights of those that are allowed; ``OPEN`` where none is.

    Args:
        allowed: bool [rows, bins].
        weights: whole numbers per bin.
        bits: one word of ``BITS`` bits per row.
    """
    steps = np.cumsum(allowed * weights, axis=1)
    total = steps[:, -1]
    point = (bits.astype(np.int64) * total) >> BITS
    chosen = (steps <= point[:, None]).sum(axis=1)
    return np.where(total > 0, chosen, OPEN).astype(np.int16)


def whole_weights(tables: Tables, axis: int) -> npt.NDArray[np.int64]:
    """Weights of an axis's bins in hundredths."""
    return np.asarray([round(100 * one.weight) for one in tables.space.axes[axis].bins], dtype=np.int64)


def complete(tables: Tables, rows: Rows, stream: Stream, order: Sequence[int]) -> Rows:
    """Draws every open axis of partial assignments that all know the same axes.

    Args:
        tables: the rules.
        rows: partial assignments.
        stream: random bits; one child per axis.
        order: in which order the open axes are drawn.

    Returns:
        The rows that could be completed, in their order.
    """
    found = rows.copy()
    known = [axis for axis in range(len(tables.sizes)) if len(found) and found[0, axis] != OPEN]
    for axis in order:
        if axis in known:
            continue
        allowed = tables.possible(found, known, axis)
        bits = stream.child(tables.space.axes[axis].name).words(len(found)) >> np.uint64(64 - BITS)
        found[:, axis] = choose(allowed, whole_weights(tables, axis), bits)
        found = found[found[:, axis] != OPEN]
        known.append(axis)
    return found[tables.holds(found)]
