"""From a plan to records on disk: one journal, pytest sessions until nothing is outstanding."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from verification.drafts import sweep_drafts
from verification.journal import Journal, JournalError
from verification.plan import PLAN_FILE, Plan
from verification.plugin import Controller
from verification.record import Record
from verification.uninterrupted import ignore_from_now_on
from verification.verdicts import EXIT_ENVIRONMENT, INFRA_RETRIES, exit_code, final, interrupted_code, outstanding

SETTINGS = Path(__file__).with_name("session.ini")
LOG_FILE = "pytest.log"


class Watcher(Protocol):
    """Somebody who is told what happens, for a live display."""

    def planned(self, total: int, done: int) -> None:
        """So many cases will run in all, so many are done already."""
        ...

    def recorded(self, record: Record) -> None:
        """A record is on the disk."""
        ...


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a run went."""

    records: tuple[Record, ...]
    exit_code: int
    problem: str = ""
    """What the environment lacks or the disk refused; empty if nothing."""
    interrupted: bool = False


def execute_plan(
    plan: Plan,
    folder: Path,
    *,
    provenance: Mapping[str, Any],
    workers: int,
    watcher: Watcher,
    resume: bool = False,
) -> Outcome:
    """Runs what the plan still wants, and records it.

    Args:
        plan: what should run; already written to ``folder``.
        folder: the run's folder.
        provenance: what the journal's first event says.
        workers: number of processes; 1 = this one.
        watcher: told of progress.
        resume: whether the journal is continued.

    Raises:
        JournalError: another process writes this run, or the journal is damaged.
    """
    with Journal(folder, "resume" if resume else "start", provenance) as journal:
        sweep_drafts(folder)
        total = len(plan.entries)
        earlier = tuple(journal.records)
        watcher.planned(total, total - len(outstanding(plan, earlier, earlier=earlier)))
        problem, interrupted = "", False
        for _ in range(INFRA_RETRIES + 1):
            wanted = outstanding(plan, journal.records, earlier=earlier)
            if not wanted:
                break
            controller = Controller(journal, plan, wanted, (watcher,))
            status = _session(folder, controller, cases=len(wanted), workers=workers)
            problem, again = _problem(status, controller, folder, workers)
            interrupted = status == pytest.ExitCode.INTERRUPTED and not problem
            if interrupted or (problem and not again):
                break
        finals = final(plan, journal.records)
        code = exit_code(finals)
        if problem:
            code = EXIT_ENVIRONMENT
        elif interrupted:
            code = interrupted_code(code)
        _finish(journal, code)
        return Outcome(records=tuple(journal.records), exit_code=code, problem=problem, interrupted=interrupted)


def _problem(status: int, controller: Controller, folder: Path, workers: int) -> tuple[str, bool]:
    """What kept a session from running its cases, empty if nothing, and whether another session may do better.

    A worker that is killed while it starts takes its session along (an internal error of pytest).
    """
    if controller.environment:
        return controller.environment, False
    if status in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        found = f"pytest ended with {pytest.ExitCode(status)!r}; see {folder / LOG_FILE}"
        return found, status == pytest.ExitCode.INTERNAL_ERROR and workers > 1
    return "", False


def _finish(journal: Journal, code: int) -> None:
    """Writes the closing event; a disk that is full has been reported already."""
    try:
        journal.finish({"exit_code": code})
    except JournalError:
        return


def _session(folder: Path, controller: Controller, *, cases: int, workers: int) -> int:
    """One pytest session over the plan; its exit status. A case that kills its worker never runs in this process."""
    restarts = str(cases * (INFRA_RETRIES + 1))
    distribution = (
        *("-n", str(min(workers, cases)), "--max-worker-restart", restarts),
        *("--dist", "load", "--maxschedchunk", "1"),
    )
    arguments: Sequence[str] = (
        *("-p", "xdist", "-p", "verification.plugin"),
        *("-c", str(SETTINGS), "--rootdir", str(folder), "--noconftest", "-s"),
        *("--bsa-run", str(folder.resolve())),
        *(distribution if workers > 1 else ("-n", "0")),
        str((folder / PLAN_FILE).resolve()),
    )
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with _Log(folder / LOG_FILE) as log:
        try:
            return int(pytest.main(list(arguments), plugins=[controller, _LogReporter(log)]))
        except KeyboardInterrupt:  # while pytest was ending for another reason
            ignore_from_now_on()
            return int(pytest.ExitCode.INTERRUPTED)


class _Log(io.TextIOBase):
    """What pytest itself would print, added to a file; a full disk costs the text and nothing else."""

    def __init__(self, path: Path) -> None:
        self._fd = -1
        with contextlib.suppress(OSError):
            self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, text: str) -> int:
        """Adds text at once, unbuffered."""
        with contextlib.suppress(OSError):
            os.write(self._fd, text.encode(errors="replace"))
        return len(text)

    def close(self) -> None:
        """Closes the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        super().close()


class _LogReporter:
    """Sends what pytest itself would print to a file: the terminal belongs to the watcher."""

    def __init__(self, log: Any) -> None:
        self._log = log

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        from _pytest.terminal import TerminalReporter

        manager = config.pluginmanager
        manager.unregister(manager.getplugin("terminalreporter"))
        manager.register(TerminalReporter(config, self._log), "terminalreporter")
