"""Elements of a tensor from a file, known by its sha256: the kind ``file:SHA256:B,N,S:PATH``.

The file is an ``.npz`` with an array [B, N, S, D] for each tensor, by argument name; B, N, S say where the case's
tensor begins in it, so that a slice of a large call is a case of its own.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stimuli.errors import StimulusError

PREFIX = "file:"


def kind_of(path: Path, sha256: str, at: tuple[int, int, int] = (0, 0, 0)) -> str:
    """The kind of a tensor that begins at batch, head and token ``at`` of the file's array."""
    return f"{PREFIX}{sha256}:{','.join(map(str, at))}:{path}"


def moved(kind: str, at: tuple[int, int, int]) -> str:
    """The same kind, beginning elsewhere; other kinds are returned as they are."""
    if not kind.startswith(PREFIX):
        return kind
    sha256, _, path = kind.removeprefix(PREFIX).split(":", 2)
    return kind_of(Path(path), sha256, at)


@lru_cache(maxsize=8)
def sha256_of(path: Path) -> str:
    """sha256 of a file, hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read(kind: str, *, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """The elements of one tensor.

    Args:
        kind: ``file:SHA256:B,N,S:PATH``.
        name: the tensor's name, for the array and for errors.
        shape: [B, N, S, D] of the case's tensor.

    Returns:
        float32 of that shape.

    Raises:
        StimulusError: no such file or array, another sha256, or an array that is too small.
    """
    try:
        sha256, begin, text = kind.removeprefix(PREFIX).split(":", 2)
        at = tuple(int(one) for one in begin.split(","))
    except ValueError:
        raise StimulusError(argument=name, value=kind, legal="file:SHA256:B,N,S:PATH") from None
    path = Path(text)
    try:
        found = sha256_of(path)
        if found != sha256:
            raise StimulusError(argument=name, value=found, legal=f"{path} with the sha256 {sha256} of the case")
        with np.load(path, allow_pickle=False) as arrays:
            array = arrays[name]
    except (OSError, KeyError, ValueError) as error:
        if isinstance(error, StimulusError):
            raise
        raise StimulusError(argument=name, value=str(path), legal=f"an .npz with this array ({error})") from None
    part = array[tuple(slice(start, start + size) for start, size in zip((*at, 0), shape, strict=False))]
    if part.shape != shape:
        raise StimulusError(argument=name, value=list(array.shape), legal=f"at least {list(shape)} from {list(at)} on")
    with np.errstate(over="ignore"):  # as in rounding: what FP32 cannot hold is Inf
        return np.ascontiguousarray(part, dtype=np.float32)
