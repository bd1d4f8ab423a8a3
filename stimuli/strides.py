"""How a tensor lies in memory: the same elements, other strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError
from stimuli.rounding import round_to
from stimuli.tensors import HostTensor, contiguous_strides

_MARGIN = 3
"""``offset``: elements before the tensor, and between its rows, that do not belong to it."""


def _contiguous(array: npt.NDArray[Any], dtype: str) -> HostTensor:
    return HostTensor.contiguous(array, dtype=dtype)


def _permuted(array: npt.NDArray[Any], dtype: str, first: int, second: int) -> HostTensor:
    """Stored with two axes exchanged, seen in their usual order."""
    stored = np.ascontiguousarray(array.swapaxes(first, second))
    strides = list(contiguous_strides(stored.shape))
    strides[first], strides[second] = strides[second], strides[first]
    return HostTensor(storage=stored.reshape(-1), dtype=dtype, shape=array.shape, strides=tuple(strides))


def _swapped(array: npt.NDArray[Any], dtype: str) -> HostTensor:
    """[B, N, S, D] seen in storage [B, S, N, D]; packed [T, N, D] seen in storage [N, T, D]."""
    return _permuted(array, dtype, array.ndim - 3, array.ndim - 2)


def _transposed(array: npt.NDArray[Any], dtype: str) -> HostTensor:
    """[…, S, D] seen in storage […, D, S]: the last axis is not the fastest."""
    return _permuted(array, dtype, array.ndim - 2, array.ndim - 1)


def _expanded(array: npt.NDArray[Any], dtype: str) -> HostTensor:
    """All heads are one head in memory (stride 0): the first head's elements count."""
    axis = 1
    one = np.ascontiguousarray(array.take([0], axis=axis))
    strides = list(contiguous_strides(one.shape))
    strides[axis] = 0
    return HostTensor(storage=one.reshape(-1), dtype=dtype, shape=array.shape, strides=tuple(strides))


def _offset(array: npt.NDArray[Any], dtype: str) -> HostTensor:
    """A slice of a larger storage: something before it and something after every row, all NaN."""
    width = array.shape[-1] + _MARGIN
    larger = (*array.shape[:-1], width)
    nan = round_to(dtype, np.full(1, np.nan, dtype=np.float32))[0]
    storage = np.full(_MARGIN + int(np.prod(larger)), nan, dtype=array.dtype)
    tensor = HostTensor(
        storage=storage, dtype=dtype, shape=array.shape, strides=contiguous_strides(larger), offset=_MARGIN
    )
    tensor.view()[...] = array
    return tensor


KINDS: dict[str, Callable[[npt.NDArray[Any], str], HostTensor]] = {
    "contiguous": _contiguous,
    "bsnd": _swapped,
    "transposed": _transposed,
    "expanded": _expanded,
    "offset": _offset,
}
"""Names that the axis ``strides`` accepts."""


def place(array: npt.NDArray[Any], *, dtype: str, kind: str) -> HostTensor:
    """Lays the elements of an array out in memory.

    Args:
        array: the elements as they are seen, [B, N, S, D] or packed [T, N, D].
        dtype: the tensor's dtype.
        kind: ``contiguous``, ``bsnd`` (heads and rows exchanged in memory), ``transposed`` (rows and head_dim
            exchanged), ``expanded`` (all heads share one head's memory) or ``offset`` (part of a larger storage).

    Returns:
        The tensor; its view equals ``array`` (``expanded``: the array's first head, repeated).

    Raises:
        StimulusError: an unknown kind.
    """
    if kind not in KINDS:
        raise StimulusError(argument="strides", value=kind, legal=f"one of {', '.join(KINDS)}")
    return KINDS[kind](array, dtype)
