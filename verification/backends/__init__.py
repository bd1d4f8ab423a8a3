"""Backends: what executes a DUT. ``sim`` (PyPTO's simulator), ``npu`` (a card), ``fake`` (declared behaviours)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from stimuli.case import Case
from verification.backends.errors import BackendError
from verification.backends.observation import Observation
from verification.dut import Call, Dut
from verification.plan import Budget

__all__ = ["Backend", "BackendError", "open_backend"]


class Backend(Protocol):
    """Executes attempts, one after another."""

    name: str
    synthetic: bool
    """Whether its results are declared and can sign nothing off."""

    def run(self, case: Case, dut: Dut, call: Call, budget: Budget) -> Observation:
        """Runs one attempt.

        Args:
            case: what to run.
            dut: its DUT.
            call: how to run it.
            budget: what the attempt may use.

        Raises:
            BackendError: the environment cannot run anything.
        """
        ...

    def finish(self, keep: Path | None) -> None:
        """Lets go of what the last attempt left, once it has been judged.

        Args:
            keep: folder to copy it to (after a failure), or None to remove it.
        """
        ...

    def close(self) -> None:
        """Ends every process of the backend."""
        ...


def open_backend(name: str, options: Mapping[str, Any]) -> Backend:
    """A backend by name.

    Args:
        name: ``sim`` or ``fake``.
        options: settings of the backend, from the plan.

    Raises:
        ValueError: no such backend.
    """
    if name == "sim":
        from verification.backends.sim import SimBackend

        return SimBackend()
    if name == "fake":
        from verification.backends.fake import FakeBackend

        return FakeBackend(**options)
    raise ValueError(f"backend: {name!r} is none of 'sim', 'fake'")
