"""What a case ran: for each file that was loaded, the text that it had and the lines that were executed."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from verification.changes.host_lines import Lines
from verification.foreign import is_foreign
from verification.shadow.account import portable, resolve
from verification.shadow.coverage_file import executed_lines, traced_bodies
from verification.shadow.words import lines_from_words, lines_in_words

_OURS = Path(__file__).resolve().parents[1]
DIGEST, LINES = "digest", "lines"
Ran = dict[str, dict[str, str]]
"""By file, from the folder that it is imported from: ``digest`` = start of the sha256 of its text, empty where that is
not known, ``lines`` = executed lines as :func:`verification.shadow.words.lines_in_words` has them."""


def ran(host: Lines, executed: Mapping[str, Mapping[str, Any]], *, since: float, loaded: bool = True) -> Ran:
    """Puts together what ran in this process.

    Args:
        host: lines of ordinary Python, by absolute path.
        executed: kernel files, as :func:`verification.shadow.account.merged` has them; inside the functions that are
            traced they replace what Python saw.
        since: when the first module was loaded, in seconds since the epoch. A file written later may not be
            what ran, so that its text counts as unknown.
        loaded: name files that were loaded and of which nothing ran, too: what they say at import may matter.
    """
    found: Ran = {}
    kernels = {str(path) for name in executed if (path := resolve(name))}
    for path in sorted({*host, *kernels, *(_loaded() if loaded else ())}):
        name, text = portable(path), _text(Path(path))
        if text is None:
            continue
        lines = set(host.get(path, ()))
        if name in executed:
            lines -= traced_bodies(text.decode("utf-8", "replace"), executed[name])
            lines |= executed_lines(executed[name])
        known = Path(path).stat().st_mtime < since
        found[name] = {DIGEST: digest(text) if known else "", LINES: lines_in_words(lines)}
    return found


def loaded_since(pid: int | None = None) -> float:
    """A time at which a process had surely not begun, in seconds since the epoch; its start is known to a second."""
    return psutil.Process(pid).create_time() - 1.0


def together(*several: Mapping[str, Mapping[str, str]]) -> Ran:
    """What several processes ran; a file whose text they do not agree on is not known."""
    found: Ran = {}
    for one in several:
        for file, seen in one.items():
            before = found.get(file, dict(seen))
            agree = before[DIGEST] == seen[DIGEST]
            lines = lines_from_words(before[LINES]) | lines_from_words(seen[LINES])
            found[file] = {DIGEST: seen[DIGEST] if agree else "", LINES: lines_in_words(lines)}
    return dict(sorted(found.items()))


def digest(text: bytes) -> str:
    """What a file's text is told by."""
    return hashlib.sha256(text).hexdigest()[:16]


def _loaded() -> set[str]:
    """Source files of loaded modules that belong to no installed distribution and not to Python.

    Of this package only the bindings: what the rest says at import decides how cases are judged, not what they do.
    """
    found = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.endswith(".py") and not is_foreign(path) and not _is_judging(Path(path)):
            found.add(path)
    return found


def _is_judging(path: Path) -> bool:
    return path.is_relative_to(_OURS) and not path.is_relative_to(_OURS / "duts")


def _text(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
