"""The arrays of ``--tensors``: what they must be, said before anything is run."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bsa.messages import text
from bsa.unreadable import why_unreadable
from stimuli import files
from stimuli.regimes import KEY_TENSORS, TENSORS
from verification.errors import UsageError

DAMAGED = (KeyError, ValueError, TypeError, AttributeError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error)
"""What numpy raises for files that are not what their name says."""
_DTYPES = ("float16", "float32", "float64")
_BEYOND = {"float16": 65520.0, "bfloat16": 2.0**128 - 2.0**119}
"""The smallest number that rounds to Inf."""
_LARGEST = {"float16": "65504", "bfloat16": "3.3895e38"}


@dataclass(frozen=True, kw_only=True)
class Tensors:
    """The arrays of a file."""

    path: Path
    arrays: Mapping[str, npt.NDArray[np.floating[Any]]]
    """query [B, N, S, D], key and value [B, a divisor of N, S, D], floating point."""

    @classmethod
    def read(cls, path: Path) -> Tensors:
        """Reads an ``.npz`` file.

        Raises:
            UsageError: it is none, or the arrays are not as they must be: file, array, what it is and what is legal.
        """
        try:
            with path.open("rb") as file:
                archive = np.load(file, allow_pickle=False)
                if not isinstance(archive, np.lib.npyio.NpzFile):
                    raise UsageError(text("cli.try.no_tensors", file=path, why=text("cli.try.no_archive")))
                arrays = {name: archive[name] for name in TENSORS}
        except OSError as error:
            raise UsageError(text("error.system", what=path, why=error.strerror or error)) from error
        except DAMAGED as error:
            raise UsageError(text("cli.try.no_tensors", file=path, why=why_unreadable(error))) from error
        found = cls(path=path, arrays=arrays)
        found._check()
        return found

    def refuse_other_shapes(self, query: Sequence[int] | None, key: Sequence[int] | None) -> None:
        """Refuses a ``--q`` and a ``--kv`` that say otherwise than the file.

        Raises:
            UsageError: it names the option, its value, the file, the array and its shape.
        """
        shapes = {name: list(self.arrays[name].shape) for name in ("query", "key")}
        of_file = {"query": shapes["query"], "key": shapes["key"][1:3]}
        for option, name, said in (("--q", "query", query), ("--kv", "key", key)):
            if said is not None and list(said) != of_file[name]:
                value, legal = (",".join(map(str, one)) for one in (said, of_file[name]))
                words = {"option": option, "value": value, "file": self.path, "name": name, "shape": shapes[name]}
                raise UsageError(text("cli.try.tensors_differ", **words, legal=legal))

    def refuse_not_finite(
        self, *, dtype: str, lengths_q: Sequence[int] | None, lengths_kv: Sequence[int] | None
    ) -> None:
        """Refuses elements within the actual lengths for which no right answer is defined.

        Raises:
            UsageError: one is NaN or Inf, or would be in ``dtype``; it names the file, the array and the place.
        """
        for name, array in self.arrays.items():
            lengths = lengths_kv if name in KEY_TENSORS else lengths_q
            for batch in range(array.shape[0]):
                rows = array[batch, :, : None if lengths is None else lengths[batch]]
                with np.errstate(over="ignore"):
                    wrong = ~(np.abs(rows.astype(np.float32)) < _BEYOND[dtype])
                if wrong.any():
                    at = [batch, *map(int, np.unravel_index(int(wrong.argmax()), wrong.shape))]
                    words = {"file": self.path, "name": name, "at": at, "value": array[tuple(at)]}
                    raise UsageError(text("cli.try.tensor.number", **words, dtype=dtype, largest=_LARGEST[dtype]))

    def kinds(self) -> dict[str, str]:
        """The kind of each tensor's values, which holds the file's sha256."""
        path = self.path.resolve()
        return dict.fromkeys(TENSORS, files.kind_of(path, files.sha256_of(path)))

    def _check(self) -> None:
        for name, array in self.arrays.items():
            if array.dtype.name not in _DTYPES:
                raise self._refused("dtype", name, legal=", ".join(_DTYPES))
            if array.ndim != 4 or 0 in array.shape:
                raise self._refused("axes", name)
        query, key, value = (self.arrays[name].shape for name in TENSORS)
        if key[0] != query[0] or key[3] != query[3] or query[1] % key[1]:
            raise self._refused("key", "key", batch=query[0], heads=query[1], dim=query[3])
        if value != key:
            raise self._refused("value", "value", legal=list(key))

    def _refused(self, rule: str, name: str, **words: object) -> UsageError:
        found = f"{self.arrays[name].dtype}{list(self.arrays[name].shape)}"
        return UsageError(text(f"cli.try.tensor.{rule}", file=self.path, name=name, found=found, **words))
