"""One launch of a kernel as the recorder saw it: its trace, and the numbers that decide its control flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verification.shadow.expression import Scope, Table
from verification.shadow.tree import Trace


@dataclass(frozen=True, kw_only=True)
class Launched:
    """One launch."""

    trace: Trace
    shapes: Mapping[str, tuple[int, ...]]
    """Shape of each tensor argument, by parameter name."""
    tables: Mapping[str, Table]
    """Contents of the int32 arguments before the launch, by parameter name."""
    before: Mapping[str, Any] = field(default_factory=dict)
    """The tensor arguments before the launch, if they were to be kept."""
    after: Mapping[str, Any] = field(default_factory=dict)
    """The same after it."""

    def scope(self) -> Scope:
        """Fresh names for one replay."""
        return Scope(self.shapes, self.tables)


def snapshot(names: list[str], tensors: list[Any]) -> tuple[dict[str, tuple[int, ...]], dict[str, Table]]:
    """Shapes of all tensors, and contents of those that a kernel may read as tables.

    Args:
        names: parameter names.
        tensors: torch tensors, in the same order.
    """
    import torch

    shapes = {name: tuple(int(side) for side in tensor.shape) for name, tensor in zip(names, tensors, strict=True)}
    tables = {
        name: tensor.tolist()
        for name, tensor in zip(names, tensors, strict=True)
        if tensor.dtype == torch.int32 and tensor.device.type == "cpu"
    }
    return shapes, tables
