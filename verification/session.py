"""What one pytest process needs to run cases: the plan, the DUTs, the backend."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch

from verification.backends import Backend, open_backend
from verification.dut import Dut, find_duts
from verification.engine import run_case
from verification.known.judging import judged
from verification.memory_pool import MemoryPool
from verification.plan import Plan, read_plan
from verification.record import INFRA, Record


@dataclass
class Worker:
    """Runs entries of a plan in this process, with a backend that is opened when first needed.

    Attributes:
        folder: the run's folder.
        memory: bytes that the cases of all workers may use together; None = this one is alone.
        plan: the run's plan.
    """

    folder: Path
    memory: int | None = None
    plan: Plan = field(init=False)
    _duts: dict[str, Dut] = field(init=False, default_factory=dict)
    _backend: Backend | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.plan = read_plan(self.folder)

    def run(self, case_id: str, attempts: Iterable[int]) -> Iterator[Record]:
        """Runs a case, again where an attempt was ended from outside.

        Args:
            case_id: a case of the plan.
            attempts: numbers of the attempts it may have.

        Yields:
            One record an attempt, as soon as it has ended.

        Raises:
            BackendError: the environment cannot run anything.
            KeyError: the plan has no such case, or no installed distribution declares its DUT.
        """
        if self._backend is None:
            torch.set_num_threads(1)
            self._duts = find_duts()
            self._backend = open_backend(self.plan.backend, self.plan.options)
        entry = self.plan.entry(case_id)
        dut = self._duts[entry.case.dut]
        for attempt in attempts:
            with self._room(dut.capacity(entry.case, self.plan.run_mode).bytes):
                record = run_case(entry, self._backend, dut=dut, plan=self.plan, attempt=attempt, folder=self.folder)
            yield judged(record, self.plan.known)
            if record.verdict != INFRA:
                return

    def _room(self, size: int) -> contextlib.AbstractContextManager[None]:
        """Holds memory for a case beside those of other workers; one that will be refused needs none."""
        if self.memory is None or size > self.plan.budget.bytes:
            return contextlib.nullcontext()
        return MemoryPool(self.folder, self.memory).reserved(size)

    def close(self) -> None:
        """Ends the backend."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None
