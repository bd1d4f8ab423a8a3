# mypy: ignore-errors
# ruff: noqa: ANN001, T201
# Runs alone on a host that has nothing of ours, on whatever Python is there: few types, and printing is what it is for.
"""Asks a card what sim cannot tell of PyPTO's limits. One file, needs torch, torch_npu and pypto; ten minutes.

    python3 limits_card.py                  # on the card that TILE_FWK_DEVICE_ID names
    python3 limits_card.py --limits 5 6     # some limits only

Every probe runs in a process of its own, so that one that crashes or hangs costs that probe only. At the end stands
limits_card.json, to be carried home and read with: bsa-verify limits --import limits_card.json
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

SOURCES: dict = {}
SECONDS = 60
NEEDED = {"npu": ("torch", "torch_npu", "pypto"), "cpu": ("torch", "pypto")}


def main() -> int:
    """Runs the probes one after another and writes what they showed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limits", type=int, nargs="+", default=[], metavar="N")
    parser.add_argument("--out", default="limits_card.json", metavar="FILE")
    parser.add_argument("--device", default="npu", choices=("npu", "cpu"), help="cpu: try the script without a card")
    parser.add_argument("--one", nargs=2, metavar=("N", "PROBE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    lacking = [name for name in NEEDED[arguments.device] if find_spec(name) is None]
    if lacking:
        print(f"not installed here: {', '.join(lacking)}; nothing was asked", file=sys.stderr)
        return 4
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SOURCES.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sys.path.insert(0, folder)
        from verification.limits.registry import LIMITS

        if arguments.one:
            limit = LIMITS[int(arguments.one[0])]
            print("\n" + json.dumps(ask(limit.probe(arguments.one[1]), arguments.device)))
            return 0
        unknown = [number for number in arguments.limits if number not in LIMITS]
        if unknown:
            print(f"--limits: there is no limit {unknown[0]}; known are 1 to {max(LIMITS)}", file=sys.stderr)
            return 2
        wanted = arguments.limits or list(LIMITS)
        report = {"schema": 1, "mode": "npu", "device": arguments.device, **environment(), "findings": []}
        for number, probe in [(one, probe) for one in wanted for probe in LIMITS[one].probes]:
            report["findings"].append(answer(number, probe.name, arguments.device))
            # after each answer: a killed run keeps what it has
            Path(arguments.out).write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"written: {arguments.out}, {len(report['findings'])} answers")
    return 0


def answer(number: int, name: str, device: str) -> dict:
    """What one probe showed, asked in a process of its own."""
    begin = time.monotonic()
    command = [sys.executable, __file__, "--one", str(number), name, "--device", device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        status, evidence = "OTHER", f"no answer in {SECONDS} s"
    else:
        lines = done.stdout.strip().splitlines()
        try:
            status, evidence = json.loads(lines[-1])
        except (IndexError, ValueError, TypeError):
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            status, evidence = "OTHER", f"the process ended with {done.returncode}: {last[:160]}"
    print(f"{number:3d} {name:24s} {status:8s} {evidence[:100]}  {time.monotonic() - begin:.0f} s", flush=True)
    return {"limit": number, "probe": name, "status": status, "evidence": evidence}


def ask(probe, device: str) -> tuple:
    """Runs a probe in this process: (status, evidence)."""
    import pypto
    import torch

    from verification.limits.comparing import difference, empty_output
    from verification.limits.limit import ACTIVE, FORBIDDEN, LIFTED, OTHER, WORKS

    if device == "npu":
        import torch_npu  # noqa: F401 - it adds torch.npu

        torch.npu.set_device(int(os.environ.get("TILE_FWK_DEVICE_ID", "0")))
    try:
        kernel = probe.build(pypto)
        for call in range(probe.calls):
            tensors = [tensor.to(device) for tensor in probe.inputs(call)]
            output = empty_output(probe, [tensor.cpu() for tensor in tensors]).to(device)
            if device == "npu":
                torch.npu.synchronize()
            kernel(*tensors, output)
            if device == "npu":
                torch.npu.synchronize()
            problem = difference(output.cpu(), probe.answer(*(tensor.cpu() for tensor in tensors)))
            if problem:
                return (OTHER if probe.signature or probe.role != FORBIDDEN else ACTIVE), problem
    except BaseException as error:  # noqa: BLE001 - whatever a compiler makes of it is the answer
        lines = [line.strip() for line in f"{type(error).__name__}: {error}".splitlines() if line.strip()]
        fitting = [line for line in lines if probe.signature and re.search(probe.signature, line)]
        known = bool(fitting) or (probe.blind is not None and probe.role == FORBIDDEN)
        return (ACTIVE if known else OTHER), (fitting or lines)[0][:160]
    return (LIFTED if probe.role == FORBIDDEN else WORKS), ""


def environment() -> dict:
    """Versions and the card, as far as they can be told."""
    from importlib import metadata

    found = {}
    for name in ("pypto", "torch", "torch_npu"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    found["cann"] = os.environ.get("ASCEND_HOME_PATH", "")
    found["asked"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return found


if __name__ == "__main__":
    sys.exit(main())
