"""The ``fake`` backend: declared behaviours, to test the framework itself. Its records are synthetic."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from stimuli.case import Case
from stimuli.stimulus import Stimulus
from verification.backends.observation import (
    CRASHED,
    INTERRUPTED,
    OUT_OF_MEMORY,
    RAISED,
    RETURNED,
    TIMED_OUT,
    Observation,
    Raised,
    Returned,
)
from verification.dut import Call, Dut
from verification.plan import Budget
from verification.record import Measurement
from verification.scoreboard import digests

BEHAVIOURS = ("run", "zeros", "raise", "crash", "timeout", "memory", "interrupted", "no-log", "no-task", "kill-worker")
"""``run`` computes the same-precision reference; the others fail in the way they are called."""

_PASS_TIME = "import select, sys; select.select([0], [], [], float(sys.argv[1]))"
"""Python of the child: waits so many seconds, or until its standard input ends."""


class FakeBackend:
    """Plays a declared behaviour instead of running a kernel.

    Args:
        default: the behaviour of cases that ``behaviours`` does not name.
        behaviours: by case id or name; a list gives one behaviour per attempt, the last one repeated.
        seconds: how long each attempt takes, in a child process that can be killed.

    Raises:
        ValueError: a behaviour that is none of ``BEHAVIOURS``.
    """

    name = "fake"
    synthetic = True

    def __init__(
        self,
        *,
        default: str = "run",
        behaviours: Mapping[str, str | list[str]] | None = None,
        seconds: float = 0.0,
    ) -> None:
        self._default = default
        self._behaviours = dict(behaviours or {})
        self._seconds = seconds
        self._attempts: dict[str, int] = {}
        for one in [default, *(b for v in self._behaviours.values() for b in ([v] if isinstance(v, str) else v))]:
            if one not in BEHAVIOURS:
                raise ValueError(f"behaviour: {one!r} is none of {', '.join(BEHAVIOURS)}")

    def run(self, case: Case, dut: Dut, call: Call, budget: Budget) -> Observation:
        """Plays the behaviour declared for the case. See :class:`verification.backends.Backend`."""
        del call, budget
        behaviour = self._behaviour(case)
        if self._seconds and (ended := self._wait()) is not None:
            return ended
        if behaviour == "kill-worker":
            os.kill(os.getpid(), signal.SIGKILL)
        if behaviour in _ENDINGS:
            return _ENDINGS[behaviour]
        calls = tuple(_play(stimulus, dut, behaviour) for stimulus in dut.stimuli(case))
        return Observation(
            ended=RETURNED,
            calls=calls,
            measurement=Measurement(tasks=0 if behaviour == "no-task" else 1, stages=("declared",)),
            log_found=behaviour != "no-log",
        )

    def finish(self, keep: Path | None) -> None:
        """Nothing is left behind."""

    def close(self) -> None:
        """Nothing is open."""

    def _behaviour(self, case: Case) -> str:
        declared = self._behaviours.get(case.id, self._behaviours.get(case.name, self._default))
        attempt = self._attempts.get(case.id, 0)
        self._attempts[case.id] = attempt + 1
        return declared if isinstance(declared, str) else declared[min(attempt, len(declared) - 1)]

    def _wait(self) -> Observation | None:
        """Lets the time pass in a child, which can be killed, hears no Ctrl-C, and ends when this process does."""
        words = [sys.executable, "-ISc", _PASS_TIME, str(self._seconds)]
        child = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
        try:
            code = child.wait()
        finally:
            if child.stdin is not None:
                child.stdin.close()
        if code < 0:
            return Observation(ended=INTERRUPTED, signal=-code, stderr_tail="declared child ended from outside")
        return None


def _play(stimulus: Stimulus, dut: Dut, behaviour: str) -> Returned:
    before = digests(stimulus.tensors)
    outputs = {name: tensor.clone() for name, tensor in dut.references(stimulus).same.items()}
    if behaviour == "zeros":
        outputs = {name: tensor.zero_() for name, tensor in outputs.items()}
    return Returned(
        outputs=outputs,
        digests_before=before,
        digests_after=digests(stimulus.tensors),
        tasks_expected=dut.expects_tasks(stimulus),
    )


_ENDINGS = {
    "raise": Observation(ended=RAISED, error=Raised(kind="RuntimeError", message="declared failure")),
    "crash": Observation(ended=CRASHED, signal=int(signal.SIGSEGV), stderr_tail="declared crash"),
    "timeout": Observation(ended=TIMED_OUT),
    "memory": Observation(ended=OUT_OF_MEMORY),
    "interrupted": Observation(ended=INTERRUPTED, signal=int(signal.SIGKILL)),
}
