"""Tensors made by numpy: a flat storage with a shape, strides and an offset, handed to torch without a copy."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stimuli.stimulus import Stimulus

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True, eq=False)
class HostTensor:
    """A view of a flat storage.

    Attributes:
        storage: one-dimensional, of the type that :mod:`stimuli.rounding` gives for ``dtype``.
        dtype: ``float16``, ``bfloat16``, ``float32``, ``float64`` or ``bool``.
        shape: sizes of the axes.
        strides: elements between neighbours along each axis; 0 repeats (an expanded axis).
        offset: element of the storage where the tensor begins.
    """

    storage: npt.NDArray[Any]
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @classmethod
    def contiguous(cls, array: npt.NDArray[Any], *, dtype: str) -> HostTensor:
        """A tensor over the elements of an array in C order."""
        return cls(
            storage=np.ascontiguousarray(array).reshape(-1),
            dtype=dtype,
            shape=array.shape,
            strides=contiguous_strides(array.shape),
        )

    def view(self) -> npt.NDArray[Any]:
        """The elements as a writable numpy view of the storage."""
        size = self.storage.itemsize
        strides = tuple(stride * size for stride in self.strides)
        return np.lib.stride_tricks.as_strided(self.storage[self.offset :], self.shape, strides)

    def digest(self) -> str:
        """sha256 of geometry, dtype and the whole storage: equal digests are equal tensors, bit for bit."""
        geometry = f"{self.dtype}{self.shape}{self.strides}{self.offset}"
        return hashlib.sha256(geometry.encode("ascii") + self.storage.tobytes()).hexdigest()

    def to_torch(self) -> torch.Tensor:
        """A torch tensor that shares the storage; views only, no arithmetic."""
        import torch

        if self.dtype == "bfloat16":
            flat = torch.from_numpy(self.storage.view(np.int16)).view(torch.bfloat16)
        else:
            flat = torch.from_numpy(self.storage)
        return flat.as_strided(self.shape, self.strides, self.offset)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements of a tensor in C order."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@dataclass(frozen=True, kw_only=True, eq=False)
class Draft:
    """A stimulus before torch: what a maker returns.

    Attributes:
        tensors: by argument name, in the order of the DUT's signature.
        arguments: the other arguments, as JSON values.
        facts: what the maker knows of the values.
    """

    tensors: Mapping[str, HostTensor]
    arguments: Mapping[str, Any]
    facts: Mapping[str, Any]

    def to_stimulus(self) -> Stimulus:
        """Hands the tensors to torch: shares their storage, computes nothing."""
        tensors = {name: tensor.to_torch() for name, tensor in self.tensors.items()}
        return Stimulus(tensors=tensors, arguments=dict(self.arguments), facts=dict(self.facts))
