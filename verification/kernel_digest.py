"""The hash of a kernel's source, kept in every record."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from verification.dut import Dut


def kernel_digest(dut: Dut) -> str:
    """sha256 over the files whose text decides what the DUT's kernel does.

    Raises:
        OSError: a file that the DUT names cannot be read.
    """
    return _digest(tuple(dut.kernel_sources()))


@lru_cache(maxsize=64)
def _digest(paths: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        text = Path(path).read_bytes()
        digest.update(f"{Path(path).name} {len(text)}\n".encode() + text)
    return digest.hexdigest()
