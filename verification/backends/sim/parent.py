"""The warm parent: exec'd once per worker, imports torch, PyPTO and the DUTs, forks a child per case.

It never compiles a kernel and runs no torch operation (design, section 4, rule 5): a fork of a process that has done
either hangs. Started as ``python -m verification.backends.sim.parent FD``, where FD is its end of a socket pair.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from verification.backends.sim.scratch import SCRATCH_VARIABLE, make_scratch
from verification.backends.sim.watch import ClientGoneError, Ending, watch
from verification.backends.sim.wire import Wire


def main() -> int:
    """Serves requests until the other end is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wire = Wire(socket.socket(fileno=int(sys.argv[1])))
    try:
        scratch = make_scratch()
    except OSError as error:
        wire.send({"failed": f"scratch folder ({SCRATCH_VARIABLE}): {error}"})
        return 1
    try:
        _serve(wire, scratch)
    except (ClientGoneError, BrokenPipeError):
        return 0
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


def _serve(wire: Wire, scratch: Path) -> None:
    folder, output = scratch / "case", scratch / "pypto"
    output.mkdir()
    try:
        from bsa import _pypto

        _pypto.prepare_environment(output_dir=output)
        _pypto.load()
        _pypto.keep_compiled()
        from verification.dut import find_duts

        duts = find_duts()
    except Exception as error:  # noqa: BLE001 - reported to the client, which says what to do
        wire.send({"failed": f"{type(error).__name__}: {error}"})
        return
    wire.send({"case": str(folder), "output": str(output), "duts": sorted(duts), "broken": duts.broken})
    while (request := wire.receive()) is not None:
        folder.mkdir()
        wire.send(_answer(_run_one(request, duts, folder, wire)))
        if wire.receive() is None:
            return
        _empty(folder, output)
        wire.send({"empty": True})


def _run_one(request: dict[str, Any], duts: dict[str, Any], folder: Path, wire: Wire) -> Ending:
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            from verification.backends.sim.child import run_child

            run_child(request, duts[request["case"]["dut"]], folder, parent=parent)
        finally:
            os._exit(1)  # whatever happens, a child never unwinds into its parent's clean-up
    wire.send({"child": pid})
    return watch(pid, seconds=request["seconds"], limit_bytes=request["bytes"], connection=wire.connection.fileno())


def _answer(ending: Ending) -> dict[str, Any]:
    return {
        "ended": ending.ended,
        "signal": ending.signal,
        "exit_code": ending.exit_code,
        "wall_s": ending.wall_s,
        "cpu_s": ending.cpu_s,
        "peak_bytes": ending.peak_bytes,
        "why": ending.why,
    }


def _empty(folder: Path, output: Path) -> None:
    """Removes what the case left, for the next one to start clean."""
    shutil.rmtree(folder, ignore_errors=True)
    for entry in output.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
