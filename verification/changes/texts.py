"""The texts that cases ran, kept beside their records, and those that git has."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from verification.changes.ran import DIGEST, digest
from verification.drafts import draft_of
from verification.shadow.account import resolve

SOURCES = "sources"
"""Folder of a run's folder: one file per text, named by its digest."""


def keep_texts(folder: Path, seen: Mapping[str, Mapping[str, str]]) -> None:
    """Keeps the texts of files beside the records; a disk that is full costs the texts only.

    Args:
        folder: the run's folder.
        seen: what ran, as :func:`verification.changes.ran.ran` has it.
    """
    place = folder / SOURCES
    with contextlib.suppress(OSError):
        place.mkdir(exist_ok=True)
        there = {path.name for path in place.iterdir()}
        for file, one in seen.items():
            if one[DIGEST] and one[DIGEST] not in there:
                _keep(file, place / one[DIGEST])


def _keep(file: str, target: Path) -> None:
    path = resolve(file)
    text = path.read_bytes() if path is not None else b""
    if digest(text) == target.name:
        with draft_of(target, text.decode("utf-8", "surrogateescape")) as draft:
            draft.replace(target)


def kept_text(folder: Path, wanted: str) -> str | None:
    """A text of a run by its digest; None if the run does not have it."""
    try:
        text = (folder / SOURCES / wanted).read_bytes()
    except OSError:
        return None
    return text.decode("utf-8", "replace") if wanted and digest(text) == wanted else None


def text_now(path: Path) -> str:
    """A file's text; empty if it is gone."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def known_to_git(folder: Path, revision: str) -> bool:
    """Whether a folder is in a git repository that has this revision."""
    return _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") is not None


def text_at(path: Path, revision: str) -> str | None:
    """A file's text at a revision of the repository that it is in; empty if it was not there, None without git."""
    if not known_to_git(path.parent, revision):
        return None
    return _git(path.parent, "show", f"{revision}:./{path.name}") or ""


def changed_files(folders: Iterable[Path], revision: str) -> tuple[Path, ...]:
    """Files that differ from a revision or are new, of the repositories that folders are in and that know it."""
    tops = {_git(folder, "rev-parse", "--show-toplevel") for folder in folders}
    roots = [Path(top.strip()) for top in tops if top is not None]
    found: set[Path] = set()
    for root in roots:
        differing = _git(root, "diff", "--name-only", "-z", revision)
        if differing is not None:
            found |= {root / name for name in f"{differing}{_git(root, *_NEW) or ''}".split("\0") if name}
    return tuple(sorted(found))


_NEW = ("ls-files", "--others", "--exclude-standard", "-z")


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints; None if it cannot."""
    if shutil.which("git") is None or not folder.is_dir():
        return None
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
