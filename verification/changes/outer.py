"""A measurement by coverage.py that runs already, in whatever process: it is given what is found out beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import coverage

from verification.shadow.account import resolve
from verification.shadow.coverage_file import executed_lines
from verification.shadow.words import arcs_from_words


def give_lines(outer: coverage.Coverage, data: coverage.CoverageData) -> None:
    """Adds what another measurement saw of the files that this one is about.

    Args:
        outer: the measurement that runs; of branches if the other one is.
        data: the other one's.
    """
    files = [file for file in data.measured_files() if _wanted(outer, file)]
    if outer.get_option("run:branch"):
        outer.get_data().add_arcs({file: data.arcs(file) or () for file in files})
    else:
        outer.get_data().add_lines({file: data.lines(file) or () for file in files})


def give_kernels(executed: Mapping[str, Mapping[str, Any]]) -> None:
    """Adds what the replays executed of kernel files to the measurement that runs, if one does.

    Args:
        executed: see :attr:`verification.record.Measurement.executed`.
    """
    outer = coverage.Coverage.current()
    if outer is None:
        return
    here = {name: str(path) for name in executed if (path := resolve(name)) is not None}
    kernels = {path: executed[name] for name, path in here.items() if _wanted(outer, path)}
    if outer.get_option("run:branch"):
        outer.get_data().add_arcs({path: arcs_from_words(seen["arcs"]) for path, seen in kernels.items()})
    else:
        outer.get_data().add_lines({path: executed_lines(seen) for path, seen in kernels.items()})


def save() -> None:
    """Has the measurement that runs write what it has: this process may be ended before it would.

    A disk that refuses costs the measurement, and nothing else.
    """
    outer = coverage.Coverage.current()
    if outer is not None:
        with contextlib.suppress(coverage.CoverageException, OSError):
            outer.save()


def _wanted(outer: coverage.Coverage, file: str) -> bool:
    """Whether the measurement is about a file: its source, include and omit options decide."""
    return bool(outer._check_include_omit_etc(file, None))  # type: ignore[arg-type]  # noqa: SLF001 - no public one
