"""Random bits that are the same everywhere: Philox4x64 raw words and fixed integer arithmetic."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli.canonical import canonical_json

UNIFORM_BITS = 15
"""``uniform`` gives k / 2¹⁵ with -2¹⁵ ≤ k < 2¹⁵."""
NORMAL_TERMS = 12
"""``normal`` is the sum of 12 uniforms of 16 bits, of variance 1 and within ±6."""

_CHUNK = 1 << 16
_LOW_LANES = np.uint64(0x0000FFFF0000FFFF)
_LOW_HALF = np.uint64(0xFFFFFFFF)


class Stream:
    """The random bits of one tensor, a pure function of its key.

    Every method starts at counter 0, so two calls of one method give the same numbers; use :meth:`child` for
    independent ones. Only ``Philox.random_raw`` of numpy is used: integers of a published algorithm, not floats of a
    library version.

    Args:
        key: any bytes; the Philox key is the first half of their sha256.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, params: Mapping[str, Any], seed: int) -> Stream:
        """The root stream of a case: keyed by its canonical parameters and its seed.

        Args:
            params: reduced parameters (see :func:`stimuli.canonical.reduce_params`).
            seed: the case's seed.
        """
        return cls(canonical_json({"params": params, "seed": seed}).encode("ascii"))

    def child(self, name: str) -> Stream:
        """An independent stream for a tensor or a purpose."""
        return Stream(hashlib.sha256(self._key + b"/" + name.encode("utf-8")).digest())

    def _philox(self) -> np.random.Philox:
        key = int.from_bytes(hashlib.sha256(self._key).digest()[:16], "little")
        return np.random.Philox(key=key)

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        """``count`` words of 64 bits."""
        return np.asarray(self._philox().random_raw(count), dtype=np.uint64)

    def halves(self, count: int) -> npt.NDArray[np.uint16]:
        """``count`` words of 16 bits: four of each 64-bit word, low ones first."""
        words = self.words(-(-count // 4)).astype("<u8", copy=False)
        return words.view("<u2").astype(np.uint16, copy=False)[:count]

    def integers(self, count: int, bound: int) -> npt.NDArray[np.int64]:
        """``count`` integers, 0 ≤ i < bound, 1 ≤ bound ≤ 2³²: the upper half of (32 random bits · bound)."""
        upper = self.words(count) >> np.uint64(32)
        return ((upper * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def uniform(self, count: int) -> npt.NDArray[np.float32]:
        """``count`` values k / 2¹⁵ in [-1, 1), float32, exact."""
        values = self.halves(count).view(np.int16).astype(np.float32)
        values *= np.float32(2.0**-UNIFORM_BITS)
        return values

    def normal(self, count: int) -> npt.NDArray[np.float32]:
        """``count`` values of mean 0 and variance 1, float32, exact multiples of 2⁻¹⁶ within ±6."""
        philox = self._philox()
        values = np.empty(count, dtype=np.float32)
        for start in range(0, count, _CHUNK):
            size = min(_CHUNK, count - start)
            words = np.asarray(philox.random_raw(3 * size), dtype=np.uint64).reshape(3, size)
            lanes = (words & _LOW_LANES).sum(axis=0, dtype=np.uint64)
            lanes += ((words >> np.uint64(16)) & _LOW_LANES).sum(axis=0, dtype=np.uint64)
            total = ((lanes & _LOW_HALF) + (lanes >> np.uint64(32))).astype(np.int32)
            values[start : start + size] = total - NORMAL_TERMS * 0xFFFF // 2
        values *= np.float32(2.0**-16)
        return values

    def permutation(self, count: int) -> npt.NDArray[np.int64]:
        """A permutation of 0 … count-1."""
        return np.argsort(self.words(count), kind="stable").astype(np.int64)
