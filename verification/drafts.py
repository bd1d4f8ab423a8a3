"""Files that appear whole: written beside their place under a draft's name, then moved there in one step.

The writer of a draft holds a lock on it, which the system takes back however the writer ends. So the drafts that killed
processes left can be told from those that are being written, and removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = ".draft-"


@contextlib.contextmanager
def draft_of(path: Path, text: str) -> Iterator[Path]:
    """Writes a draft of a file, on the disk; the caller moves it to its place. Where it does not, the draft goes.

    Args:
        path: the file that it will be; its folder exists.
        text: the content.

    Yields:
        The draft's path.

    Raises:
        OSError: the folder cannot be written.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=PREFIX, suffix=f"-{path.name}")
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            file.write(text)
            file.flush()
            os.fchmod(descriptor, 0o644)
            os.fsync(descriptor)
            yield draft
    finally:
        draft.unlink(missing_ok=True)


def sweep_drafts(folder: Path) -> None:
    """Removes the drafts in a folder that nobody is writing any more."""
    for draft in folder.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), draft.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.unlink()
