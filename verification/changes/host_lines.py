"""The lines of ordinary Python that run inside a block: wrappers, tables, makers of stimuli, references."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import coverage

from verification.changes.outer import give_lines
from verification.foreign import FOLDERS

Lines = dict[str, set[int]]
"""Executed lines, by absolute path."""

_own: list[coverage.Coverage] = []


@contextmanager
def host_lines(found: Lines) -> Iterator[None]:
    """Notes which lines of which files run, installed distributions and Python's own library left out.

    A measurement by coverage.py that runs already is given what it missed meanwhile, of the files that it is about.

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
            give_lines(outer, data)
        ours.erase()


def _measuring(*, branch: bool) -> coverage.Coverage:
    """This process's own measurement: each one that was ever started stays in memory until the end."""
    if not _own:
        omit = [f"*/{folder}/*" for folder in FOLDERS]
        _own.append(coverage.Coverage(data_file=None, config_file=False, branch=branch, omit=omit))
    return _own[0]
