"""The pytest plugin: cases of a run's plan as pytest items; the controller is the single writer of records.

``bsa-verify run`` is a pytest session over ``out/<run>/plan.json`` with this plugin; under xdist every worker collects
the same plan, and each record travels to the controller inside its test report.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bsa.messages import current, set_language
from verification import memory_pool
from verification.backends.errors import BackendError
from verification.backends.oom import oom_kills
from verification.changes.outer import save
from verification.journal import Journal, JournalError
from verification.plan import PLAN_FILE, Plan
from verification.record import INFRA, KNOWN, MEMORY, PASS, Record
from verification.session import Worker
from verification.uninterrupted import ignore_from_now_on
from verification.verdicts import outstanding
from verification.watchdog import Watchdog

WORKER = pytest.StashKey[Worker]()
WANTED = pytest.StashKey[Mapping[str, range]]()
"""The cases that want an attempt, each with the numbers of those it may have."""
WANTED_INPUT, LANGUAGE_INPUT, MEMORY_INPUT = "bsa_wanted", "bsa_language", "bsa_memory"
"""What an xdist worker is told: the same as first and last number by case, the language to speak, and the bytes that
all workers share."""
RECORDS = "bsa_records"
"""Attribute of a test report that carries the records of its case, as JSON text."""
WORKER_DIED = "???"
"""What xdist gives as ``when`` of the report that stands for a worker's death."""
ENVIRONMENT = "bsa_environment"
"""Attribute of a test report that says what the environment lacks."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the one option, set by ``bsa-verify run``."""
    group = parser.getgroup("bsa-verification")
    group.addoption("--bsa-run", metavar="DIR", default=None, help="folder of a run whose plan.json is collected")


def pytest_configure(config: pytest.Config) -> None:
    """Prepares this process for running cases, if a run is named."""
    if config.getoption("--bsa-run"):
        config.stash[WORKER] = Worker(Path(config.getoption("--bsa-run")))
        sent = getattr(config, "workerinput", None)
        if sent is not None:
            _die_with_controller()
            config.pluginmanager.register(_End())
            set_language(sent[LANGUAGE_INPUT])
            config.stash[WORKER].memory = sent[MEMORY_INPUT]
            config.stash[WANTED] = {case_id: range(*ends) for case_id, ends in json.loads(sent[WANTED_INPUT]).items()}


def _die_with_controller() -> None:
    """Has the system end this worker when the controller ends, however that ends: nobody would record what it does."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


_PR_SET_PDEATHSIG = 1


class _End:
    """The end of a worker: from the first interruption on, or once it is done, signals find it deaf."""

    def pytest_keyboard_interrupt(self) -> None:
        """The controller goes on to end this worker in any case."""
        ignore_from_now_on()

    def pytest_unconfigure(self) -> None:
        """Nothing is left to interrupt."""
        ignore_from_now_on()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends this process's backend; on a busy machine a worker is ended before it has done so."""
    if WORKER in config.stash:
        save()
        config.stash[WORKER].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects the plan of the run that is named."""
    run = parent.config.getoption("--bsa-run")
    if run and file_path == (Path(run) / PLAN_FILE).resolve():
        return PlanFile.from_parent(parent, path=file_path)
    return None


class PlanFile(pytest.File):
    """A plan as a collector."""

    def collect(self) -> Iterator[pytest.Item]:
        """The cases that still want an attempt, in the plan's order."""
        worker = self.config.stash[WORKER]
        wanted = self.config.stash.get(WANTED, None) or outstanding(worker.plan, ())
        for entry in worker.plan.entries:
            if entry.case_id in wanted:
                item: CaseItem = CaseItem.from_parent(self, name=entry.case_id)
                item.attempts = wanted[entry.case_id]
                yield item


class CaseItem(pytest.Item):
    """One case as a pytest item, named by its id."""

    attempts = range(1, 2)

    def runtest(self) -> None:
        """Runs the case.

        Raises:
            CaseFailedError: the verdict is not one that passes.
        """
        records = self.stash[_ITEM_RECORDS] = list[Record]()
        for record in self.config.stash[WORKER].run(self.name, self.attempts):
            records.append(record)  # one by one: what there is must be kept when a later attempt raises
        if records[-1].verdict not in (PASS, KNOWN):
            raise CaseFailedError(records[-1])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """One line for a failed case; pytest's own text for anything else."""
        if isinstance(excinfo.value, CaseFailedError | BackendError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the item comes from, for pytest's own reporters."""
        return self.path, 0, self.config.stash[WORKER].plan.entry(self.name).case.label


_ITEM_RECORDS = pytest.StashKey[list[Record]]()


class CaseFailedError(Exception):
    """A case whose verdict does not pass."""

    def __init__(self, record: Record) -> None:
        super().__init__(f"{record.verdict}: {record.reason}\n{record.replay}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Puts the records of a case into its report."""
    outcome: Any = yield
    report = outcome.get_result()
    if call.when == "call" and isinstance(item, CaseItem):
        records = item.stash.get(_ITEM_RECORDS, [])
        setattr(report, RECORDS, json.dumps([record.to_json() for record in records]))
        if call.excinfo is not None and isinstance(call.excinfo.value, BackendError):
            setattr(report, ENVIRONMENT, str(call.excinfo.value))


class Controller:
    """Writes every record that arrives, in the one process that may, and stops when the environment is missing.

    Args:
        journal: the run's open journal.
        plan: the run's plan.
        wanted: the cases to run, each with the numbers of the attempts it may have.
        watchers: told of each record after it is on the disk.
    """

    def __init__(self, journal: Journal, plan: Plan, wanted: Mapping[str, range], watchers: Any = ()) -> None:
        self._journal = journal
        self._plan = plan
        self._wanted = wanted
        self._watchers = tuple(watchers)
        self.environment = ""
        """What the environment lacks or the disk refused, if that ended the session."""
        self._session: pytest.Session | None = None
        self._replacing = False
        self._oom_kills = oom_kills()
        self._memory = memory_pool.shareable()
        self._watchdog = Watchdog(plan.budget.seconds)
        self._ended = ""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Tells this process what to collect, for a session without workers."""
        config.stash[WANTED] = self._wanted

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker, whose process is there now, what to collect."""
        if self._replacing:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            self._replacing = False
        ends = {case_id: (numbers.start, numbers.stop) for case_id, numbers in self._wanted.items()}
        told = {WANTED_INPUT: json.dumps(ends), LANGUAGE_INPUT: current().language, MEMORY_INPUT: self._memory}
        node.workerinput.update(told)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> Iterator[None]:
        """Has workers inherit a blocked SIGINT: we end them, and Ctrl-C must not hit one that still starts."""
        self._session = session
        self._watchdog.start()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return (yield)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object | None) -> None:
        """The same for the worker that replaces one that died, up to :meth:`pytest_configure_node`."""
        self._ended = self._watchdog.take()
        if error is not None:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            self._replacing = True

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """From here on there is only the end: records kept, processes ended, a report. Pressing again stops none."""
        if type(excinfo.value) is KeyboardInterrupt:
            ignore_from_now_on()

    def pytest_unconfigure(self) -> None:
        """Ends what only a session needs."""
        self._watchdog.end()
        if self._replacing:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Writes the records that a report carries."""
        text = getattr(report, RECORDS, None)
        if text is not None:
            for data in json.loads(text):
                self._write(Record.from_json(data))
        elif str(report.when) == WORKER_DIED:
            self._worker_died(report)
        missing = getattr(report, ENVIRONMENT, "")
        if missing:
            self._stop(missing)

    def _write(self, record: Record) -> None:
        try:
            self._journal.append(record)
        except JournalError as error:
            self._stop(str(error))
            return
        self._oom_kills = oom_kills()
        for watcher in self._watchers:
            with contextlib.suppress(OSError):
                watcher.recorded(record)

    def _worker_died(self, report: pytest.TestReport) -> None:
        """A worker that was killed took its attempt with it; the controller records it with its own hand."""
        case_id = report.nodeid.rsplit("::", 1)[-1]
        entry = self._plan.entry(case_id)
        done = [record for record in self._journal.records if record.case_id == case_id]
        if any(record.verdict != INFRA for record in done):
            return
        out_of_memory = not self._ended and oom_kills() > self._oom_kills
        words = f" ({self._ended})" if self._ended else ""
        if out_of_memory:
            words = " (the kernel ended a process for want of memory)"
        self._write(
            Record(
                run_id=self._plan.run_id,
                case_id=case_id,
                attempt=max((record.attempt for record in done), default=0) + 1,
                case=entry.case.to_json(),
                suites=entry.suites,
                backend=self._plan.backend,
                run_mode=self._plan.run_mode,
                verdict=MEMORY if out_of_memory else INFRA,
                reason=f"the worker process died before the case ended{words}",
                started="",
                finished="",
                replay=f"bsa-verify replay {case_id} --run {self._plan.run_id}",
                synthetic=self._plan.backend == "fake",
            )
        )

    def _stop(self, reason: str) -> None:
        self.environment = self.environment or reason
        if self._session is not None:
            self._session.shouldstop = reason
