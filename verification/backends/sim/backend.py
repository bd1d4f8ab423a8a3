"""The ``sim`` backend: a warm parent process that forks a child per case."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import torch

from stimuli.case import Case
from verification.backends.errors import BackendError
from verification.backends.observation import CRASHED, INTERRUPTED, RETURNED, Observation, Raised, Returned
from verification.backends.sim.child import RESULT_FILE, STDERR_FILE
from verification.backends.sim.measure import measure
from verification.backends.sim.wire import Wire
from verification.dut import Call, Dut
from verification.plan import Budget

TAIL_BYTES = 4000
"""How much of a child's stderr a record keeps."""


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

    def run(self, case: Case, dut: Dut, call: Call, budget: Budget) -> Observation:
        """Runs one attempt in a child of the warm parent. See :class:`verification.backends.Backend`.

        Raises:
            BackendError: the warm parent cannot start: PyPTO, a compiler or a writable folder is missing.
        """
        del dut
        wire = self._started()
        request = {
            "case": case.to_json(),
            "call": asdict(call),
            "seconds": budget.seconds,
            "bytes": budget.bytes,
        }
        try:
            wire.send(request)
            answer = wire.receive()
        except OSError:
            answer = None
        return self._parent_died() if answer is None else self._observe(answer, call)

    def finish(self, keep: Path | None) -> None:
        """Lets go of what the attempt left. See :class:`verification.backends.Backend`."""
        if self._wire is None:
            return
        if keep is not None:
            _move(self._case_folder, keep / "case")
            _move(self._output_folder, keep / "pypto")
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
        wire = Wire(ours)
        hello = wire.receive()
        if hello is None or "failed" in hello:
            problem = hello["failed"] if hello else self._parent_log() or "it ended without a word"
            wire.close()
            self._end()
            raise BackendError(f"the simulator's warm parent cannot start: {problem}")
        self._case_folder = Path(hello["case"])
        self._output_folder = Path(hello["output"])
        self._wire = wire
        return wire

    def _observe(self, answer: dict[str, Any], call: Call) -> Observation:
        folder = self._case_folder
        result_file = folder / RESULT_FILE
        result = torch.load(result_file, weights_only=True) if result_file.exists() else None
        ended = answer["ended"]
        if ended == RETURNED:
            ended = result["ended"] if result else CRASHED
        measurement, log_found = measure(self._output_folder, answer, call.pass_filter)
        return Observation(
            ended=ended,
            calls=tuple(_returned(one) for one in result["calls"]) if result else (),
            error=_raised(result["error"]) if result else None,
            measurement=measurement,
            log_found=log_found,
            signal=answer["signal"],
            exit_code=answer["exit_code"],
            stderr_tail=_tail(folder / STDERR_FILE),
        )

    def _parent_died(self) -> Observation:
        code = self._process.wait() if self._process else 0
        tail = self._parent_log()
        self._end()
        return Observation(
            ended=INTERRUPTED,
            signal=-code if code < 0 else None,
            exit_code=code if code >= 0 else None,
            stderr_tail=f"the warm parent died (its exit code: {code})\n{tail}",
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
        self._wire, self._process, self._log = None, None, None


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


def _move(source: Path, target: Path) -> None:
    """Copies a folder's content out of the scratch (which the warm parent empties)."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
