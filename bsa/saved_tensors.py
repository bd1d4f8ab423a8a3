"""Tensors of a call that were saved to a file, checked as a call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bsa.errors import ContractError
from bsa.messages import text
from bsa.reference.problem import reference_problem
from bsa.unreadable import why_unreadable

MASK = "block_sparse_mask"
_NEEDED = ("query", "key", "value")
_DTYPES = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
_OPTIONS = {"actual_seq_lengths": "--lens-q", "actual_seq_lengths_kv": "--lens-kv", "block_shape": "--block"}


def read_saved(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of an ``.npz`` file, or of a ``.pt`` file with a mapping; query, key and value among them.

    Raises:
        ValueError: it is neither, or a tensor is sparse, complex or no number; one line.
        OSError: there is no such file.
    """
    found = _read(path)
    if not isinstance(found, Mapping) or not all(name in found for name in _NEEDED):
        raise ValueError(text("capture.names", file=path, names=", ".join(_NEEDED)))
    tensors = {name: one for name, one in found.items() if isinstance(one, np.ndarray | torch.Tensor)}
    for name in _NEEDED:
        if name not in tensors:
            raise _refused(path, str(name), type(found[name]).__name__)
    return {str(name): _tensor(path, str(name), one) for name, one in tensors.items()}


def check_call(path: Path, tensors: Mapping[str, torch.Tensor], arguments: Mapping[str, Any]) -> None:
    """Refuses tensors and arguments that are no call: what no reference could compute.

    Args:
        path: the file, for the error.
        tensors: ``query``, ``key``, ``value`` and, if there is one, ``block_sparse_mask``.
        arguments: ``block_shape``, ``actual_seq_lengths``, ``actual_seq_lengths_kv``, ``layout``.

    Raises:
        ValueError: names the option, or the file and the tensor, with its value and what is legal.
    """
    query, key, value = (tensors[name] for name in _NEEDED)
    try:
        reference_problem(query, key, value, tensors.get(MASK), scale=None, num_key_value_heads=None, **arguments)
    except ContractError as error:
        bare, bracket, index = error.argument.partition("[")
        named = _OPTIONS.get(bare, f"{path}: {bare}") + bracket + index
        shown = list(error.value) if isinstance(error.value, tuple) else error.value
        raise ValueError(text("capture.refused", argument=named, value=shown, legal=error.legal)) from error


def _read(path: Path) -> Any:
    try:
        if path.suffix != ".npz":
            return torch.load(path, weights_only=True, map_location="cpu")
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            return {name: archive[name] for name in archive.files}
    except OSError:
        raise
    except Exception as error:
        raise ValueError(text("capture.unreadable", file=path, why=why_unreadable(error))) from error


def _tensor(path: Path, name: str, given: Any) -> torch.Tensor:
    dtype = str(given.dtype).removeprefix("torch.")
    strided = isinstance(given, np.ndarray) or given.layout == torch.strided
    if dtype not in _DTYPES or not strided:
        raise _refused(path, name, f"{'' if strided else 'sparse '}{dtype}{list(given.shape)}")
    return torch.from_numpy(given) if isinstance(given, np.ndarray) else given


def _refused(path: Path, name: str, value: str) -> ValueError:
    legal = text("capture.tensor", dtypes=", ".join(_DTYPES))
    return ValueError(text("capture.refused", argument=f"{path}: {name}", value=value, legal=legal))
