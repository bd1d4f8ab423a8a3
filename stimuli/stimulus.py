"""A stimulus: the tensors and arguments of one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

MASK = "block_sparse_mask"
"""The argument that holds the mask."""


@dataclass(frozen=True, kw_only=True)
class Stimulus:
    """The tensors and arguments of one call of a DUT.

    Attributes:
        tensors: inputs by argument name, in the order of the DUT's signature. CPU tensors.
        arguments: the other arguments, as JSON values.
        facts: what the maker knows of the values, for example ``exact`` (no rounding occurs).
    """

    tensors: Mapping[str, torch.Tensor]
    arguments: Mapping[str, Any]
    facts: Mapping[str, Any] = field(default_factory=dict)
