"""Compares a replay with PyPTO's own account of the launch: ``dyn_topo.txt`` and ``program.json``.

PyPTO calls one function per pass through a loop's body (one for each part between its inner loops) and numbers the
calls. A replay names the calls in the same order. A function without an operation is neither compiled nor called; one
that was compiled may still have no task, and its calls leave no trace but a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bsa._pypto import Launch
from verification.shadow.replay import Observer


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """Replay and account differ: our replay is wrong, or PyPTO ran something else than it traced."""

    call: int
    """Number of the root call, from 0."""
    replayed: str
    """The function that the replay calls there; empty if it calls none."""
    ran: str
    """The function that PyPTO called; empty if it called none."""

    def __str__(self) -> str:
        return f"call {self.call}: replayed {self.replayed or 'nothing'}, PyPTO ran {self.ran or 'nothing'}"


class Roots(Observer):
    """Collects the root calls of a replay."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def root(self, name: str) -> None:
        """See :class:`Observer`."""
        self.names.append(name)


def crosscheck(replayed: Sequence[str], launch: Launch) -> Disagreement | None:
    """Compares the root calls of a replay with the launch's files.

    Args:
        replayed: names of the calls, in order, as :class:`Roots` collects them.
        launch: what the launch left; its cost model must have run.

    Returns:
        The first difference; None if there is none.
    """
    expected = [name for name in replayed if name in launch.compiled]
    with_tasks = {name for window in launch.calls for name in window.values()}
    begin = 0
    for window, shift in zip(launch.calls, _shifts(expected, launch), strict=True):
        for call in range(begin, shift + max(window) + 1):
            found = expected[call] if call < len(expected) else ""
            ran = window.get(call - shift, "")
            if found != ran and (ran or found in with_tasks):
                return Disagreement(call=call, replayed=found, ran=ran)
        begin = shift + max(window) + 1
    left = next((call for call in range(begin, len(expected)) if expected[call] in with_tasks), None)
    return None if left is None else Disagreement(call=left, replayed=expected[left], ran="")


def places(replayed: Sequence[str], launch: Launch) -> dict[int, tuple[int, int]]:
    """Where PyPTO numbers the root calls of a replay that agrees with the launch.

    Args:
        replayed: as of :func:`crosscheck`.
        launch: as of :func:`crosscheck`.

    Returns:
        By the number of a replayed call: window, and number of the call within it; calls without a task are missing.
    """
    kept = [number for number, name in enumerate(replayed) if name in launch.compiled]
    shifts = _shifts([replayed[number] for number in kept], launch)
    return {
        kept[shift + call]: (at, call)
        for at, (window, shift) in enumerate(zip(launch.calls, shifts, strict=True))
        for call in window
        if shift + call < len(kept)
    }


def _shifts(expected: Sequence[str], launch: Launch) -> list[int]:
    """Where the call 0 of each window is among the replayed calls."""
    with_tasks = {name for window in launch.calls for name in window.values()}
    begin, found = 0, []
    for window in launch.calls:
        found.append(_shift(expected, begin, window, with_tasks))
        begin = found[-1] + max(window) + 1
    return found


def _shift(expected: Sequence[str], begin: int, window: Mapping[int, str], with_tasks: set[str]) -> int:
    """Where a window's call 0 is: calls without a task may stand between the last window's last call and it."""
    first = min(window)
    shift = begin
    while shift + first < len(expected) and expected[shift + first] != window[first]:
        if expected[shift] in with_tasks:
            return begin
        shift += 1
    return shift
