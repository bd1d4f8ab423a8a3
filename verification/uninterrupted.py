"""Steps that a signal must not cut in two: what is on the disk and what is in memory have to agree."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals by which a user or the system ends a command."""


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Within, signals that would raise an exception wait until the end of the block; they are acted on then.

    Python runs handlers in the main thread, whichever thread the system interrupts. So handlers are exchanged, and
    nothing is done in other threads.

    Raises:
        KeyboardInterrupt: one came meanwhile (or whatever its handler raises).
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: handler for number in ENDING if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, lambda number, _frame: came.append(number))
        yield
    finally:
        for number, handler in reversed(before.items()):
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def ignore_from_now_on() -> None:
    """Ignores further signals: what is left is the end, and whoever keeps pressing Ctrl-C would only make it untidy."""
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
