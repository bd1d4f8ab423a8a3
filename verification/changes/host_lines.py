"""The lines of ordinary Python that run inside a block: wrappers, tables, makers of stimuli, references."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import coverage

Lines = dict[str, set[int]]
"""Executed lines, by absolute path."""

_FOREIGN: Final = ("site-packages", "dist-packages")
_LIBRARY: Final = sysconfig.get_path("stdlib")
_own: list[coverage.Coverage] = []


@contextmanager
def host_lines(found: Lines) -> Iterator[None]:
    """Notes which lines of which files run, installed distributions and Python's own library left out.

    A measurement by coverage.py that runs already is given what it missed meanwhile.

    Args:
        found: where to note them, when the block ends.
    """
    outer = coverage.Coverage.current()
    ours = _measuring(branch=bool(outer is not None and outer.get_option("run:branch")))
    ours.start()
    try:
        yield
    finally:
        ours.stop()
        data = ours.get_data()
        for file in data.measured_files():
            found.setdefault(file, set()).update(data.lines(file) or ())
        if outer is not None:
            outer.get_data().update(data)
        ours.erase()


def is_foreign(path: str) -> bool:
    """Whether a file belongs to an installed distribution or to Python's own library: nobody edits it."""
    return path.startswith(_LIBRARY) or any(f"/{folder}/" in path for folder in _FOREIGN)


def _measuring(*, branch: bool) -> coverage.Coverage:
    """This process's own measurement: each one that was ever started stays in memory until the end."""
    if not _own:
        omit = [f"*/{folder}/*" for folder in _FOREIGN]
        _own.append(coverage.Coverage(data_file=None, config_file=False, branch=branch, omit=omit))
    return _own[0]
