"""Finding and reading the folders of runs."""

from __future__ import annotations

import contextlib
import fcntl
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from bsa.messages import text
from verification.drafts import sweep_drafts
from verification.journal import MANIFEST_FILE, RECORDS_FILE, read_journal
from verification.plan import PLAN_FILE, Plan, read_plan
from verification.record import Record

OUT = Path("out")
"""Where runs go, under the current folder."""
LATEST = "latest"
"""The RUN argument that means the newest run."""
_RUN_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{4}")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run, read from its folder: the input of every report."""

    path: Path
    plan: Plan
    records: tuple[Record, ...]
    manifest: Mapping[str, Any]
    """The ``start`` event: provenance (commit, dirty, versions, host, argv, started)."""
    events: tuple[Mapping[str, Any], ...] = ()
    torn: int = 0
    """Lines cut short by a kill, which are ignored."""


def read_run(folder: Path) -> Run:
    """Reads one run.

    Raises:
        FileNotFoundError: no plan there.
        ValueError: the plan or a record is of another schema.
        verification.journal.JournalError: the journal does not agree with itself.
    """
    plan = read_plan(folder)
    loaded = read_journal(folder)
    start: Mapping[str, Any] = next((event for event in loaded.events if event["event"] == "start"), {})
    return Run(path=folder, plan=plan, records=loaded.records, manifest=start, events=loaded.events, torn=loaded.torn)


def find_run(name: str, out: Path = OUT) -> Path:
    """The folder that a RUN argument names: a path, a run's id (or the start of one), or ``latest``.

    ``latest`` may be a run that is only planned; who reads results asks :func:`find_recorded`.

    Raises:
        FileNotFoundError: nothing fits, or an id's start fits several; the message lists what there is.
    """
    if not name:
        raise FileNotFoundError(text("error.no_run", name=name, known=_newest(list_runs(out), out)))
    as_path = Path(name)
    if (as_path / PLAN_FILE).exists():
        return as_path
    runs = list_runs(out)
    if name == LATEST and runs:
        return runs[-1]
    fitting = [run for run in runs if run.name.startswith(name)] if name != LATEST else []
    exact = [run for run in fitting if run.name == name]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    key = "error.several_runs" if fitting else "error.no_run"
    raise FileNotFoundError(text(key, name=name, count=len(fitting), known=_newest(runs, out)))


def find_recorded(name: str, out: Path = OUT) -> tuple[Path, list[Path]]:
    """The folder that a RUN argument names, where ``latest`` is the newest run with a record.

    Returns:
        The folder, and the newer runs without a record that were passed over, newest first.

    Raises:
        FileNotFoundError: as :func:`find_run`, or no run has a record.
    """
    found = find_run(name, out)
    runs = list_runs(out)[::-1]
    if name != LATEST or found not in runs:
        return found, []
    passed_over = list(takewhile(lambda run: not _has_records(run), runs))
    if len(passed_over) == len(runs):
        raise FileNotFoundError(text("error.no_recorded", name=name, known=_newest(runs[::-1], out)))
    return runs[len(passed_over)], passed_over


def _newest(runs: list[Path], out: Path) -> str:
    """The newest of the runs, for an error."""
    return ", ".join(run.name for run in runs[-5:]) or text("error.no_runs", out=out)


def _has_records(folder: Path) -> bool:
    """Whether a run has a record, whole or not to be read; what cannot be opened is for its reader to say."""
    try:
        with (folder / RECORDS_FILE).open("rb") as file:
            return file.readline().endswith(b"\n")
    except FileNotFoundError:
        return False
    except OSError:
        return True


def list_runs(out: Path = OUT) -> list[Path]:
    """Folders of runs under ``out``, in the order in which they were started or last resumed."""
    if not out.is_dir():
        return []
    found = [path.parent for path in out.glob(f"*/{PLAN_FILE}")]
    return sorted(found, key=lambda run: (_sequence(run), _written(run), run.name))


def next_sequence(folder: Path) -> int:
    """A number greater than that of every run beside a folder.

    Args:
        folder: a run's folder; need not exist.
    """
    return 1 + max(map(_sequence, list_runs(folder.resolve().parent)), default=0)


def _sequence(folder: Path) -> int:
    """The run's number: of its last start, or of its plan if it was never started; 0 for a run that has none."""
    try:
        with (folder / MANIFEST_FILE).open("rb") as file:
            starts = [json.loads(line) for line in file if line.startswith(_STARTS) and line.endswith(b"\n")]
        return int(starts[-1].get("sequence", 0) if starts else read_plan(folder).sequence)
    except FileNotFoundError:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            return read_plan(folder).sequence
    except (OSError, ValueError, TypeError, KeyError):
        pass
    return 0


_STARTS = (b'{"event": "start"', b'{"event": "resume"')
"""How a line of the manifest begins that says who writes from here on."""


def _written(folder: Path) -> float:
    manifest = folder / MANIFEST_FILE
    return (manifest if manifest.exists() else folder / PLAN_FILE).stat().st_mtime


def remove_unplanned(out: Path = OUT) -> list[Path]:
    """Removes the folders of runs that were killed before their plan was there, and returns them.

    Only folders with a run's own name go, and only with nothing in them.
    """
    removed = []
    for folder in sorted(out.iterdir()) if out.is_dir() else ():
        if _RUN_ID.fullmatch(folder.name) and folder.is_dir() and not (folder / PLAN_FILE).exists():
            sweep_drafts(folder)
            with contextlib.suppress(OSError):
                folder.rmdir()
                removed.append(folder)
    return removed


def is_being_written(folder: Path) -> bool:
    """Whether a process has this run's journal open for writing."""
    try:
        with (folder / MANIFEST_FILE).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
