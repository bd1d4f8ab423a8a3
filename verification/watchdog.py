"""Processes of a run that neither work nor die are ended by the controller.

That is one that somebody stopped (SIGSTOP), and a worker that does not get out of a reference computation although its
time is over (:func:`referring`): a call that hangs outside Python hears no signal.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from collections.abc import Iterator
from types import FrameType

import psutil

STOPPED_SECONDS = 30.0
"""How long a process may stand still. Whoever stops a whole run and lets it go on (Ctrl-Z, ``fg``) stops the controller
as well, whose watch then stands still with it."""
GRACE_SECONDS = 60.0
"""How much longer than its time a reference may take, before its worker is ended."""
_POLL_SECONDS = 1.0
_REFERENCE = "ref-"
"""A process's name begins with this while it computes a reference."""
_PR_SET_NAME, _PR_GET_NAME = 15, 16


class ReferenceTimeError(BaseException):
    """A reference took longer than it may. No :class:`Exception`: a reference that catches those must not catch it."""


@contextlib.contextmanager
def referring(case_id: str, seconds: float) -> Iterator[None]:
    """Within, a reference is computed, which the process's name shows to the controller.

    Args:
        case_id: the case.
        seconds: how long it may take. Only the main thread is interrupted.

    Raises:
        ReferenceTimeError: the time is over.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    name = _renamed(f"{_REFERENCE}{case_id}".encode())
    before = signal.signal(signal.SIGALRM, _time_is_over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        _renamed(name)


def _time_is_over(_number: int, _frame: FrameType | None) -> None:
    raise ReferenceTimeError


def _renamed(name: bytes) -> bytes:
    """Names this process's main thread (15 bytes are kept), and returns its name before."""
    libc, before = ctypes.CDLL(None), ctypes.create_string_buffer(16)
    libc.prctl(_PR_GET_NAME, before, 0, 0, 0)
    libc.prctl(_PR_SET_NAME, ctypes.create_string_buffer(name[:15]), 0, 0, 0)
    return before.value


class Watchdog:
    """Watches the children of this process from :meth:`start` to :meth:`end`; a debugger may stop them.

    Args:
        reference_seconds: how long a reference may take.
    """

    def __init__(self, reference_seconds: float) -> None:
        self._reference_seconds = reference_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._others: set[psutil.Process] = set()
        self._reasons: list[str] = []

    def start(self) -> None:
        """Begins; children that this process has already are none of the run's."""
        self._others = set(psutil.Process().children())
        self._thread.start()

    def end(self) -> None:
        """Ends; calling it again, or without :meth:`start`, changes nothing."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def take(self) -> str:
        """Why a process was ended whose death has not been asked for yet; empty if there is none."""
        return self._reasons.pop(0) if self._reasons else ""

    def _watch(self) -> None:
        polls: dict[tuple[psutil.Process, str], int] = {}
        while not self._over.wait(_POLL_SECONDS):
            found = [(one, _ailment(one)) for one in psutil.Process().children() if one not in self._others]
            polls = {(one, ailment): polls.get((one, ailment), 0) + 1 for one, ailment in found if ailment}
            for (one, ailment), seen in polls.items():
                seconds, reason = self._sentence(ailment)
                if seen * _POLL_SECONDS >= seconds:
                    self._reasons.append(reason)
                    with contextlib.suppress(psutil.Error):
                        one.kill()

    def _sentence(self, ailment: str) -> tuple[float, str]:
        if ailment == psutil.STATUS_STOPPED:
            return STOPPED_SECONDS, f"it was stopped for {STOPPED_SECONDS:.0f} s, and was ended"
        seconds = self._reference_seconds + GRACE_SECONDS
        return seconds, f"its reference hung for {seconds:.0f} s, and it was ended"


def _ailment(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        if process.status() == psutil.STATUS_STOPPED:
            return str(psutil.STATUS_STOPPED)
        if (name := process.name()).startswith(_REFERENCE):
            return name
    return ""
