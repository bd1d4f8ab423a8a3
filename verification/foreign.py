"""Which files nobody edits: those of installed distributions and of Python's own library."""

from __future__ import annotations

import sysconfig
from typing import Final

FOLDERS: Final = ("site-packages", "dist-packages")
"""Where distributions are installed."""
_LIBRARY: Final = sysconfig.get_path("stdlib")


def is_foreign(path: str) -> bool:
    """Whether a file belongs to an installed distribution or to Python's own library."""
    return path.startswith(_LIBRARY) or any(f"/{folder}/" in path for folder in FOLDERS)
