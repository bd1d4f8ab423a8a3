"""The ``sim`` backend: a warm parent process that forks a child per case."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import torch

from bsa.messages import text
from stimuli.case import Case
from verification.backends.errors import BackendError
from verification.backends.observation import (
    CRASHED,
    INTERRUPTED,
    OUT_OF_MEMORY,
    RETURNED,
    Observation,
    Raised,
    Returned,
)
from verification.backends.sim.child import RESULT_FILE, STDERR_FILE
from verification.backends.sim.measure import measure
from verification.backends.sim.scratch import FULL, MARGIN, SCRATCH_VARIABLE, remove_if_dead
from verification.backends.sim.watch import OUTSIDE_SIGNALS
from verification.backends.sim.wire import Wire
from verification.dut import Call, Dut
from verification.plan import Budget

TAIL_BYTES = 4000
"""How much of a child's stderr a record keeps."""
START_SECONDS = 1800.0
"""How long a warm parent may take to start: it may have to build PyPTO's calculator on a busy machine."""
GRACE_SECONDS = 60.0
"""How much longer than a case's time budget its warm parent may take to answer."""
_NO_MEMORY = "bad_alloc"
"""What C++ leaves on stderr when it aborts for want of memory."""


class SimBackend:
    """Runs cases in PyPTO's simulator, one forked child a case."""

    name = "sim"
    synthetic = False

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._wire: Wire | None = None
        self._log: IO[bytes] | None = None
        self._case_folder = Path()
        self._output_folder = Path()
        self._child = 0

    def run(self, case: Case, dut: Dut, call: Call, budget: Budget) -> Observation:
        """Runs one attempt in a child of the warm parent. See :class:`verification.backends.Backend`.

        Raises:
            BackendError: the warm parent cannot start (PyPTO, a compiler or a writable folder is missing), or its
                scratch folder is full.
        """
        del dut
        try:
            wire = self._started()
            self._check_room()
            wire.send({"case": case.to_json(), "call": asdict(call), "seconds": budget.seconds, "bytes": budget.bytes})
            begun = wire.receive(GRACE_SECONDS)
            self._child = begun["child"] if begun else 0
            answer = wire.receive(budget.seconds + GRACE_SECONDS) if begun else None
        except TimeoutError:
            return self._parent_died("it did not answer in time")
        except (OSError, _ParentKilledError):
            answer = None
        return self._parent_died("") if answer is None else self._observe(answer, call)

    def finish(self, keep: Path | None) -> None:
        """Lets go of what the attempt left. See :class:`verification.backends.Backend`.

        Raises:
            OSError: the copies cannot be written; nothing is left of them.
        """
        if self._wire is None:
            return
        try:
            if keep is not None:
                _keep(keep, case=self._case_folder, pypto=self._output_folder)
        finally:
            try:
                self._wire.send({"done": True})
            except OSError:
                self._end()

    @property
    def parent_pid(self) -> int:
        """Process id of the warm parent, which is started if need be."""
        self._started()
        return self._process.pid if self._process else 0

    @property
    def scratch(self) -> Path:
        """The warm parent's scratch folder."""
        self._started()
        return self._case_folder.parent

    def close(self) -> None:
        """Ends the warm parent; its children and folders go with it."""
        self._end()

    def _started(self) -> Wire:
        if self._wire is not None and self._process is not None and self._process.poll() is None:
            return self._wire
        self._end()
        ours, theirs = socket.socketpair()
        self._wire = Wire(ours)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the parent
        self._process = subprocess.Popen(
            [sys.executable, "-m", "verification.backends.sim.parent", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        theirs.close()
        hello = self._wire.receive(START_SECONDS)
        if hello is None or "failed" in hello:
            code = self._process.wait()
            if -code in OUTSIDE_SIGNALS:
                raise _ParentKilledError
            problem = hello["failed"] if hello else self._parent_log() or f"exit code {code}"
            self._end()
            raise BackendError(text("error.backend.start", problem=problem))
        self._case_folder = Path(hello["case"])
        self._output_folder = Path(hello["output"])
        return self._wire

    def _check_room(self) -> None:
        place = self._case_folder.parent.parent
        free = shutil.disk_usage(place).free
        if free < MARGIN:
            mib = free // 2**20
            raise BackendError(text("error.backend.full", place=place, mib=mib, variable=SCRATCH_VARIABLE))

    def _observe(self, answer: dict[str, Any], call: Call) -> Observation:
        folder = self._case_folder
        result, why = _read(folder / RESULT_FILE)
        ended, why = answer["ended"], why or answer["why"]
        tail = _tail(folder / STDERR_FILE)
        if ended == RETURNED:
            ended = result["ended"] if result else CRASHED
        if ended == CRASHED and answer["signal"] == signal.SIGABRT and _NO_MEMORY in tail:
            ended, why = OUT_OF_MEMORY, "std::bad_alloc"
        if shutil.disk_usage(folder.parent).free < FULL:
            ended, result = INTERRUPTED, None
            why = f"{folder.parent.parent} is full; free space there, or name another folder in {SCRATCH_VARIABLE}"
        measurement, log_found = measure(self._output_folder, answer, call.pass_filter)
        error = _raised(result["error"]) if result else None
        return Observation(
            ended=ended,
            calls=tuple(_returned(one) for one in result["calls"]) if result else (),
            error=error,
            measurement=measurement,
            log_found=log_found,
            signal=answer["signal"],
            exit_code=answer["exit_code"],
            why=why or (f"{error.kind}: {error.message}" if error and ended == OUT_OF_MEMORY else ""),
            stderr_tail=tail,
        )

    def _parent_died(self, why: str) -> Observation:
        """What is left to say, and to clean up, when the warm parent is gone or does not answer."""
        if why and self._process is not None:
            self._process.kill()
        code = self._process.wait() if self._process else 0
        if self._child:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, signal.SIGKILL)
        tail = self._parent_log()
        self._end()
        return Observation(
            ended=INTERRUPTED,
            signal=-code if code < 0 else None,
            exit_code=code if code >= 0 else None,
            why=f"the warm parent died ({why or f'its exit code: {code}'})",
            stderr_tail=tail,
            log_found=False,
        )

    def _parent_log(self) -> str:
        if self._log is None:
            return ""
        self._log.seek(0)
        return self._log.read()[-TAIL_BYTES:].decode(errors="replace").strip()

    def _end(self) -> None:
        if self._wire is not None:
            self._wire.close()
        if self._process is not None:
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._log is not None:
            self._log.close()
        if self._case_folder.name:
            remove_if_dead(self._case_folder.parent, wait_s=2.0)
        self._wire, self._process, self._log, self._child = None, None, None, 0
        self._case_folder = self._output_folder = Path()


class _ParentKilledError(Exception):
    """Somebody ended the warm parent while it started."""


def _read(path: Path) -> tuple[dict[str, Any] | None, str]:
    """What the child wrote, and what is wrong with it."""
    if not path.exists():
        return None, ""
    try:
        return torch.load(path, weights_only=True), ""
    except Exception as error:  # noqa: BLE001 - whatever a damaged file or a foreign tensor class makes of it
        return None, f"its result cannot be read: {type(error).__name__}: {str(error).splitlines()[0]}"


def _returned(one: dict[str, Any]) -> Returned:
    meta = json.loads(one["meta"])
    return Returned(
        outputs=one["outputs"],
        digests_before=meta["digests_before"],
        digests_after=meta["digests_after"],
        shared=tuple(meta["shared"]),
        tasks_expected=meta["tasks_expected"],
    )


def _raised(text: str) -> Raised | None:
    data = json.loads(text)
    return None if data is None else Raised(**data)


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def _keep(target: Path, **folders: Path) -> None:
    """Copies folders out of the scratch (which the warm parent empties), all of them or nothing."""
    try:
        for name, source in folders.items():
            if source.is_dir():
                shutil.copytree(source, target / name, dirs_exist_ok=True)
    except OSError:
        shutil.rmtree(target, ignore_errors=True)
        raise
