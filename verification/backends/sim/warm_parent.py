"""The warm parent as its client sees it: started when needed, asked, replaced when it is gone."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from bsa.messages import text
from verification.backends.errors import BackendError
from verification.backends.sim.scratch import MARGIN, SCRATCH_VARIABLE, remove_if_dead
from verification.backends.sim.watch import OUTSIDE_SIGNALS
from verification.backends.sim.wire import Wire

TAIL_BYTES = 4000
"""How much of a process's stderr a record keeps."""
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
"""Read when torch is loaded, so it must be there before. With more, S1024 costs 1.5 times the CPU seconds (idle threads
spin), and a process that has started them cannot fork safely."""
START_SECONDS = 1800.0
"""How long a warm parent may take to start: it may have to build PyPTO's calculator on a busy machine."""
GRACE_SECONDS = 60.0
"""How much longer than a case's time budget its warm parent may take to answer."""


class ParentDiedError(Exception):
    """The warm parent is gone, and with it the attempt; what it left has been cleaned up.

    Args:
        why: one line.
        code: its exit code, negative for a signal.
        tail: the last that it wrote.
    """

    def __init__(self, why: str, *, code: int, tail: str) -> None:
        super().__init__(why)
        self.code = code
        self.tail = tail


class WarmParent:
    """One running warm parent, from its start to its end.

    Attributes:
        pid: its process id.
        case_folder: where the child of a case leaves its result.
        output_folder: where PyPTO leaves its output.

    Raises:
        BackendError: it cannot start: PyPTO, a compiler or a writable folder is missing.
        ParentDiedError: somebody ended it while it started.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._wire = Wire(ours)
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._child = 0
        self._scratch: Path | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "verification.backends.sim.parent", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
        )
        theirs.close()
        self.pid = self._process.pid
        try:
            hello = self._wire.receive(START_SECONDS)
            self._check_hello(hello)
        except BaseException:
            self.close()
            raise
        self.case_folder = Path(hello["case"]) if hello else Path()
        self.output_folder = Path(hello["output"]) if hello else Path()
        self._scratch = self.case_folder.parent
        self._duts: set[str] = set(hello["duts"]) if hello else set()
        self._broken: dict[str, str] = hello["broken"] if hello else {}

    def _check_hello(self, hello: dict[str, Any] | None) -> None:
        if hello is not None and "failed" not in hello:
            return
        code = self._process.wait()
        if -code in OUTSIDE_SIGNALS:
            raise ParentDiedError("the warm parent was ended while it started", code=code, tail=self._tail())
        problem = hello["failed"] if hello else self._tail() or f"exit code {code}"
        raise BackendError(text("error.backend.start", problem=problem))

    @property
    def running(self) -> bool:
        """Whether it is there."""
        return self._process.poll() is None

    def require_room(self) -> None:
        """Checks that a case can write.

        Raises:
            BackendError: the file system of the scratch folder is full.
        """
        place = self.case_folder.parent.parent
        free = shutil.disk_usage(place).free
        if free < MARGIN:
            mib = free // 2**20
            raise BackendError(text("error.backend.full", place=place, mib=mib, variable=SCRATCH_VARIABLE))

    def require_dut(self, name: str) -> None:
        """Checks that it found a DUT: it looks for itself, and may find other metadata than the process that asks.

        Raises:
            BackendError: it did not.
        """
        if name not in self._duts:
            why = self._broken.get(name) or text("error.backend.no_metadata", folder=Path.cwd())
            raise BackendError(text("error.backend.no_dut", name=name, why=why))

    def ask(self, request: dict[str, Any], *, seconds: float) -> dict[str, Any]:
        """Has one case run, and returns how its child ended.

        Args:
            request: ``case``, ``call`` and the budget.
            seconds: the case's time budget.

        Raises:
            ParentDiedError: the parent died meanwhile, or does not answer; it and the case's child are gone now.
        """
        why = ""
        try:
            self._wire.send(request)
            begun = self._wire.receive(GRACE_SECONDS)
            self._child = begun["child"] if begun else 0
            answer = self._wire.receive(seconds + GRACE_SECONDS) if begun else None
        except TimeoutError:
            answer, why = None, "it did not answer in time"
            self._process.kill()
        except OSError:
            answer = None
        if answer is not None:
            self._child = 0
            return answer
        code = self._process.wait()
        tail = self._tail()
        self.close()
        raise ParentDiedError(f"the warm parent died ({why or f'its exit code: {code}'})", code=code, tail=tail)

    def done(self) -> None:
        """Has it empty its folders for the next case, and waits for that; one that does not is ended."""
        try:
            self._wire.send({"done": True})
            if self._wire.receive(GRACE_SECONDS) is not None:
                return
        except OSError:
            pass
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Ends it, its child and its folders; calling it again changes nothing."""
        self._wire.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._child:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, signal.SIGKILL)
            self._child = 0
        if self._scratch is not None:
            remove_if_dead(self._scratch, wait_s=2.0)
            self._scratch = None
        self._log.close()

    def _tail(self) -> str:
        self._log.seek(0)
        return self._log.read()[-TAIL_BYTES:].decode(errors="replace").strip()
