"""Running probes through the ``sim`` backend, several at a time, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

from stimuli.case import Case
from verification.backends import Backend, open_backend
from verification.backends.observation import RAISED, RETURNED, Observation
from verification.dut import Call, Dut
from verification.limits.expectation import Finding
from verification.limits.limit import ACTIVE, BLIND, FORBIDDEN, LIFTED, OTHER, WORKS, Limit, Probe
from verification.plan import Budget

AT_ONCE = 2
"""Probes that run at the same time."""
SECONDS = 120.0
"""Time budget of one probe."""
_BYTES = 4 << 30


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one probe showed, and what it cost."""

    finding: Finding
    model_us: float | None = None
    """Simulated µs; None where no kernel ran."""


Key = tuple[int, str]
"""(limit, probe)."""


def survey(
    jobs: Iterable[tuple[Limit, Probe, Case]],
    dut: Dut,
    *,
    at_once: int = AT_ONCE,
    told: Callable[[int], None] = lambda _done: None,
) -> Mapping[Key, Seen]:
    """Runs probes.

    Args:
        jobs: what to run.
        dut: the DUT of the cases.
        at_once: how many at a time.
        told: called with the number of finished probes after each.

    Raises:
        BackendError: the simulator cannot run here.
    """
    wanted = list(jobs)
    backends = [open_backend("sim", {}) for _ in range(max(1, min(at_once, len(wanted))))]
    idle: SimpleQueue[Backend] = SimpleQueue()
    for backend in backends:
        idle.put(backend)

    def run(job: tuple[Limit, Probe, Case]) -> tuple[Key, Seen]:
        limit, probe, case = job
        backend = idle.get()
        try:
            observation = backend.run(case, dut, Call(), Budget(seconds=SECONDS, bytes=_BYTES))
            backend.finish(None)
        finally:
            idle.put(backend)
        return (limit.number, probe.name), seen(probe, observation)

    found: dict[Key, Seen] = {}
    try:
        with ThreadPoolExecutor(len(backends)) as pool:
            for key, one in pool.map(run, wanted):
                found[key] = one
                told(len(found))
    finally:
        for backend in backends:
            backend.close()
    return found


def seen(probe: Probe, observation: Observation) -> Seen:
    """What an observation says of a probe."""
    error = observation.error
    if observation.ended == RETURNED and observation.calls:
        status = WORKS if probe.role != FORBIDDEN else BLIND if probe.blind else LIFTED
        return Seen(finding=Finding(status=status), model_us=observation.measurement.model_us)
    if observation.ended == RAISED and error is not None:
        status = ACTIVE if error.rule == ACTIVE.lower() else OTHER
        return Seen(finding=Finding(status=status, evidence=error.message))
    how = f"signal {observation.signal}" if observation.signal else observation.why or f"exit {observation.exit_code}"
    return Seen(finding=Finding(status=OTHER, evidence=f"{observation.ended} ({how})"))


def limit_status(limit: Limit, found: Mapping[Key, Seen]) -> str:
    """The status of a limit from those of its forbidden forms that ran; neighbours and workarounds must work."""
    statuses = [
        found[limit.number, probe.name].finding.status
        for probe in limit.probes
        if (limit.number, probe.name) in found and (probe.role == FORBIDDEN)
    ]
    broken = any(
        found[limit.number, probe.name].finding.status != WORKS
        for probe in limit.probes
        if (limit.number, probe.name) in found and probe.role != FORBIDDEN
    )
    if OTHER in statuses or broken:
        return OTHER
    return next((status for status in (ACTIVE, BLIND) if status in statuses), LIFTED)
