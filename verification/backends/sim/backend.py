"""The ``sim`` backend: a warm parent process that forks a child per case."""

from __future__ import annotations

import json
import shutil
import signal
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import torch

from stimuli.case import Case
from verification.backends.observation import (
    CRASHED,
    INTERRUPTED,
    OUT_OF_MEMORY,
    RAISED,
    RETURNED,
    Observation,
    Raised,
    Returned,
)
from verification.backends.sim.child import RESULT_FILE, STDERR_FILE
from verification.backends.sim.measure import measure
from verification.backends.sim.scratch import FULL, SCRATCH_VARIABLE
from verification.backends.sim.warm_parent import TAIL_BYTES, ParentDiedError, WarmParent
from verification.dut import Call, Dut
from verification.plan import Budget
from verification.shadow.account import Account

_NO_MEMORY = "bad_alloc"
"""What C++ leaves on stderr when it aborts for want of memory."""
_NO_SHADOW: Final[dict[str, Any]] = {"launches": [], "ran": {}, "broken": [], "problem": ""}


class SimBackend:
    """Runs cases in PyPTO's simulator, one forked child a case."""

    name = "sim"
    synthetic = False

    def __init__(self) -> None:
        self._parent: WarmParent | None = None

    def run(self, case: Case, dut: Dut, call: Call, budget: Budget) -> Observation:
        """Runs one attempt in a child of the warm parent. See :class:`verification.backends.Backend`.

        Raises:
            BackendError: the warm parent cannot start (PyPTO, a compiler or a writable folder is missing), its scratch
                folder is full, or it does not find the DUT.
        """
        del dut
        request = {"case": case.to_json(), "call": asdict(call), "seconds": budget.seconds, "bytes": budget.bytes}
        try:
            parent = self.parent
            parent.require_room()
            parent.require_dut(case.dut)
            answer = parent.ask(request, seconds=budget.seconds)
        except ParentDiedError as error:
            self._parent = None
            return _without_answer(error)
        return _observe(parent, answer, call)

    def finish(self, keep: Path | None) -> None:
        """Lets go of what the attempt left. See :class:`verification.backends.Backend`.

        Raises:
            OSError: the copies cannot be written; nothing is left of them.
        """
        if self._parent is None:
            return
        try:
            if keep is not None:
                _keep(keep, case=self._parent.case_folder, pypto=self._parent.output_folder)
        finally:
            self._parent.done()

    @property
    def parent(self) -> WarmParent:
        """The warm parent, started if need be.

        Raises:
            BackendError: it cannot start.
            ParentDiedError: somebody ended it while it started.
        """
        if self._parent is None or not self._parent.running:
            self.close()
            self._parent = WarmParent()
        return self._parent

    def close(self) -> None:
        """Ends the warm parent; its children and folders go with it."""
        if self._parent is not None:
            self._parent.close()
            self._parent = None


def _without_answer(error: ParentDiedError) -> Observation:
    return Observation(
        ended=INTERRUPTED,
        signal=-error.code if error.code < 0 else None,
        exit_code=error.code if error.code >= 0 else None,
        why=str(error),
        stderr_tail=error.tail,
        log_found=False,
    )


def _observe(parent: WarmParent, answer: dict[str, Any], call: Call) -> Observation:
    folder = parent.case_folder
    result, why = _read(folder / RESULT_FILE)
    ended, why = answer["ended"], why or answer["why"]
    tail = _tail(folder / STDERR_FILE)
    if ended == RETURNED:
        ended = result["ended"] if result else CRASHED
    if ended == CRASHED and answer["signal"] == signal.SIGABRT and _NO_MEMORY in tail:
        ended, why = OUT_OF_MEMORY, "std::bad_alloc"
    if shutil.disk_usage(folder).free < FULL:
        ended, result = INTERRUPTED, None
        why = f"{folder.parent.parent} is full; free space there, or name another folder in {SCRATCH_VARIABLE}"
    error = _raised(result["error"]) if result else None
    if error is not None and ended == OUT_OF_MEMORY:
        why = f"{error.kind}: {error.message}"
    if error is not None and len(error.message.splitlines()) > 1:
        tail = f"{error.message[:TAIL_BYTES]}\n{tail}".strip()
    shadow: dict[str, Any] = json.loads(result["shadow"]) if result else _NO_SHADOW
    accounts = [Account.from_json(one) for one in shadow["launches"]]
    measurement, log_found, differs = measure(parent.output_folder, answer, call.pass_filter, accounts)
    findings = (*measurement.findings, *(shadow["broken"] if ended == RAISED else ()))
    explained = tuple(shadow.get("explained", ()))
    return Observation(
        ended=ended,
        calls=tuple(_returned(one) for one in result["calls"]) if result else (),
        error=error,
        measurement=replace(measurement, findings=findings, ran=shadow["ran"], explained=explained),
        log_found=log_found,
        replay_differs=shadow["problem"] or differs,
        signal=answer["signal"],
        exit_code=answer["exit_code"],
        why=why,
        stderr_tail=tail,
    )


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
