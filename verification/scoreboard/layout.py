"""One view of every output: [group, row, element], with the way back to its own axes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import torch

ROW_AXES = ("row", "kv_row", "t")
"""Names of the axis along which rows are counted: query rows, key-value rows, packed tokens."""
VECTOR_AXIS = "d"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where an output's axes stand: groups (batch, head), rows, elements of a row."""

    shape: tuple[int, ...]
    order: tuple[int, ...]
    """Axes of the output in the order group axes, row axis, vector axis."""
    group_axes: tuple[str, ...]
    row_axis: str
    """Empty if the output has no axis of rows."""
    has_vector: bool

    @property
    def group_shape(self) -> tuple[int, ...]:
        """Sizes of the group axes."""
        return tuple(self.shape[axis] for axis in self.order[: len(self.group_axes)])

    @property
    def groups(self) -> int:
        """Number of (batch, head) pairs."""
        return math.prod(self.group_shape)

    @property
    def rows(self) -> int:
        """Rows of a group."""
        return self.shape[self.order[len(self.group_axes)]] if self.row_axis else 1

    @property
    def width(self) -> int:
        """Elements of a row."""
        return self.shape[self.order[-1]] if self.has_vector else 1

    def arrange(self, tensor: torch.Tensor) -> torch.Tensor:
        """``tensor`` as [groups * rows, width]; a view where strides allow it."""
        return tensor.permute(self.order).reshape(self.groups * self.rows, self.width)

    def group_index(self, group: int) -> tuple[int, ...]:
        """Position of ``group`` on each group axis."""
        return tuple(int(one) for one in np.unravel_index(group, self.group_shape)) if self.group_axes else ()

    def group_words(self, group: int) -> str:
        """For example ``b=0 h=2``; empty without group axes."""
        pairs = zip(self.group_axes, self.group_index(group), strict=True)
        return " ".join(f"{name}={position}" for name, position in pairs)

    def index(self, row: int, element: int) -> tuple[int, ...]:
        """Index in the output's own axes of ``element`` of the arranged ``row``."""
        group, row_in_group = divmod(row, self.rows)
        arranged = [*self.group_index(group)]
        arranged += [row_in_group] if self.row_axis else []
        arranged += [element] if self.has_vector else []
        own = [0] * len(self.shape)
        for axis, position in zip(self.order, arranged, strict=True):
            own[axis] = position
        return tuple(own)

    def words(self, row: int) -> str:
        """For example ``b=0 h=2 row 44``."""
        group, row_in_group = divmod(row, self.rows)
        place = f"{self.row_axis} {row_in_group}" if self.row_axis else ""
        return " ".join(part for part in (self.group_words(group), place) if part) or "the only row"


def layout_of(shape: tuple[int, ...], dims: tuple[str, ...], *, kind: str) -> Layout:
    """The layout of an output.

    Args:
        shape: its sizes.
        dims: what each axis is (``b``, ``h``, ``row``, ``kv_row``, ``t``, ``d``); empty = the last axis of a tensor is
            ``d``, the one before it ``row``; the last axis of a ``lse`` is ``row``.
        kind: ``tensor`` or ``lse``.

    Raises:
        ValueError: dims do not name each axis once.
    """
    names = dims or _default_names(len(shape), kind=kind)
    if len(names) != len(shape) or len(set(names)) != len(names):
        raise ValueError(f"dims: {names} must name each of the {len(shape)} axes of shape {shape} once")
    row_axis = next((name for name in ROW_AXES if name in names), "")
    group_axes = tuple(name for name in names if name not in (row_axis, VECTOR_AXIS))
    ordered = [*group_axes, *([row_axis] if row_axis else []), *([VECTOR_AXIS] if VECTOR_AXIS in names else [])]
    return Layout(
        shape=shape,
        order=tuple(names.index(name) for name in ordered),
        group_axes=group_axes,
        row_axis=row_axis,
        has_vector=VECTOR_AXIS in names,
    )


def _default_names(count: int, *, kind: str) -> tuple[str, ...]:
    tail: tuple[str, ...] = ("row",) if kind == "lse" else ("row", VECTOR_AXIS)
    tail = tail[len(tail) - min(count, len(tail)) :]
    leading = itertools.islice((f"axis{position}" for position in itertools.count()), count - len(tail))
    return (*leading, *tail)
