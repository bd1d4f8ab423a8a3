"""What the forked child of a case does: run the program, write what came out, end in order."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import torch

from bsa._pypto import Passes, simulate
from stimuli.case import Case
from verification.backends.execute import execute
from verification.backends.observation import OUT_OF_MEMORY, RAISED, RETURNED, Returned
from verification.changes.host_lines import Lines, host_lines
from verification.changes.outer import give_kernels, save
from verification.changes.ran import loaded_since, ran
from verification.dut import Call, Dut, Explainable, waits
from verification.explain import explain
from verification.limits.order import launch_order
from verification.mutants import MUTANTS, load_mutant
from verification.shadow import Recording, record
from verification.shadow.account import account, merged

RESULT_FILE = "result.pt"
STDOUT_FILE = "stdout.txt"
STDERR_FILE = "stderr.txt"
_PR_SET_PDEATHSIG = 1
_FIRST_TO_GO = b"500"
"""Of 1000: whom the kernel ends first when memory runs out is this process, and neither its parent nor the worker."""
_NO_MEMORY = ("can't allocate memory", "std::bad_alloc")
"""What torch and C++ say in place of a MemoryError."""


def run_child(request: Mapping[str, Any], dut: Dut, scratch: Path, *, parent: int) -> None:
    """Runs one case in this forked process, then ends the process. Does not return.

    Args:
        request: ``case`` and ``call`` as JSON.
        dut: the case's DUT.
        scratch: folder for the result and the output streams; becomes the current folder.
        parent: process id of the warm parent, with which this process ends.
    """
    libc = ctypes.CDLL(None)
    code = 1
    try:
        _become_own_process(libc, scratch, parent)
        result = _run(Case.from_json(request["case"]), dut, Call(**request["call"]))
        partial = scratch / (RESULT_FILE + ".partial")
        torch.save(result, partial)
        partial.rename(scratch / RESULT_FILE)
        code = 0
    except BaseException:  # noqa: BLE001 - the last frame of this process: what happened goes to its stderr
        with contextlib.suppress(OSError):
            traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    libc.fflush(None)
    save()
    if request["call"]["pass_filter"] == "none":
        os._exit(code)
    # PyPTO's tables of results per pass are written by C++ streams that only an orderly end of the process flushes;
    # without them, taking a gigabyte of its memory apart would cost a second for nothing.
    libc.exit(code)


def _simulated(case: Case, dut: Dut, call: Call, recording: Recording) -> Iterator[Returned]:
    """The calls of the case with the pass filter set for all; this process's streams are files already."""
    if call.fault in MUTANTS:
        load_mutant(MUTANTS[call.fault], Path.cwd())
    with simulate(passes=cast("Passes", call.pass_filter), capture=False), record(recording):
        yield from execute(case, dut, call, around=launch_order if waits(dut) else contextlib.nullcontext)


def _shadow(recording: Recording, host: Lines) -> dict[str, Any]:
    """What the launches really did; what goes wrong in finding out is told, and changes nothing else."""
    try:
        accounts = [account(one) for one in recording]
        executed = merged(accounts)
        give_kernels(executed)
        seen = ran(host, executed, since=loaded_since(os.getppid()))
        return {
            "launches": [one.to_json() for one in accounts],
            "ran": seen,
            "broken": [finding for one in recording.broken for finding in account(one).findings],
            "problem": recording.problem,
        }
    except Exception:  # noqa: BLE001 - a fault of ours, whatever it is
        problem = recording.problem or traceback.format_exc(limit=-4)
        return {"launches": [], "ran": {}, "broken": [], "problem": problem}


def _explained(recording: Recording, ends: list[int], case: Case, dut: Dut, call: Call) -> list[dict[str, Any]]:
    """Where each launch leaves what its DUT says of its variables.

    Args:
        recording: the launches.
        ends: how many there were when each call ended; a call that failed may have made more, the last one broken.
        case: the case.
        dut: its DUT.
        call: how it was run.
    """
    if not call.explain or not isinstance(dut, Explainable):
        return []
    found = []
    by_call = [recording[begin:end] for begin, end in pairwise((0, *ends))]
    unfinished = [*recording[ends[-1] if ends else 0 :], *recording.broken]
    for stimulus, launches in zip(dut.stimuli(case), (*by_call, unfinished), strict=False):
        for launched in launches:
            try:
                found.append(asdict(explain(launched, dut.dataflow(stimulus))))
            except Exception:  # noqa: BLE001 - a fault of ours or a kernel not followed: told, no verdict changes
                found.append({"kernel": launched.trace.kernel, "problem": traceback.format_exc(limit=-3)})
    return found


def _become_own_process(libc: ctypes.CDLL, scratch: Path, parent: int) -> None:
    os.setsid()
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(_FIRST_TO_GO)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(scratch)
    for fd, name in ((1, STDOUT_FILE), (2, STDERR_FILE)):
        file = os.open(scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, fd)
        os.close(file)


def _run(case: Case, dut: Dut, call: Call) -> dict[str, Any]:
    calls = []
    error: dict[str, str] | None = None
    ended = RETURNED
    begin = time.monotonic()
    recording = Recording()
    recording.keep = call.explain
    ends: list[int] = []
    host: Lines = {}
    try:
        with host_lines(host):
            for returned in _simulated(case, dut, call, recording):
                meta = {
                    "digests_before": dict(returned.digests_before),
                    "digests_after": dict(returned.digests_after),
                    "shared": list(returned.shared),
                    "tasks_expected": returned.tasks_expected,
                }
                ends.append(len(recording))
                calls.append({"outputs": dict(returned.outputs), "meta": json.dumps(meta)})
    except Exception as raised:  # noqa: BLE001 - whatever the DUT raises is its answer
        no_memory = isinstance(raised, MemoryError) or any(words in str(raised) for words in _NO_MEMORY)
        ended = OUT_OF_MEMORY if no_memory else RAISED
        error = {
            "kind": type(raised).__name__,
            "message": str(raised),
            "rule": str(getattr(raised, "rule", "")),
            "trace": traceback.format_exc(limit=-6),
        }
    return {
        "ended": ended,
        "calls": calls,
        "error": json.dumps(error),
        "shadow": json.dumps({**_shadow(recording, host), "explained": _explained(recording, ends, case, dut, call)}),
        "seconds": time.monotonic() - begin,
    }
