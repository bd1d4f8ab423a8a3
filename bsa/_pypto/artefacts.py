"""What one simulated launch left in its output folder, as figures."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

CYCLES_PER_MICROSECOND: Final = 1800
"""Clock of the cost model (its own summary divides by it)."""

CORES: Final = 72
"""Lanes of the modelled chip: 24 cube and 48 vector cores."""

_MODEL: Final = "CostModelSimulationOutput"
_ROOT_GRAPH: Final = 2
_LEAF_GRAPH: Final = 3
_KERNEL_FUNCTION: Final = 2


@dataclass(frozen=True, kw_only=True)
class Launch:
    """Figures of one kernel launch in the simulator. Times are the cost model's estimates, not a device's."""

    folder: Path
    """PyPTO's ``output_*`` folder."""
    kernel: str
    """Name of the kernel's Python function; empty when nothing was compiled."""
    microseconds: float | None
    """From the first task's start to the last task's end; None when the cost model did not finish."""
    utilisation: float | None
    """Busy time over lanes x span, 0 to 1."""
    tasks: int
    """Tasks that ran on the modelled cores."""
    paths: Mapping[str, int]
    """How often each compiled control-flow path ran, by PyPTO's name of it."""
    calls: tuple[Mapping[int, str], ...]
    """Functions of paths that were called, by the number of the call, window after window: PyPTO numbers anew in each.
    A path is called once for each part between its inner loops; calls without a task are missing."""
    compiled: frozenset[str]
    """Functions of paths that were compiled, by PyPTO's name of them."""
    ops: Mapping[str, int]
    """How often each tile operation ran, by opcode."""
    seconds: Mapping[str, float]
    """Wall seconds of the interpreter on the tensor graph (``interpret``, with the trace), of the passes and the
    interpreter after each that the filter names (``compile``), of g++ on the control flow (``control_flow``), of the
    cost model (``model``)."""
    stages: tuple[str, ...]
    """What really happened, of: trace, passes, interpreter, codegen, control_flow, model, device_compiler."""


def read_launch(folder: Path) -> Launch:
    """Read the output folder of one launch. Files that are missing leave their figures empty.

    Args:
        folder: an ``output_*`` folder.

    Returns:
        Its figures.
    """
    program = _json(folder / "program.json", default={"functions": []})["functions"]
    topology = _rows(folder / "dyn_topo.txt")
    microseconds, utilisation, tasks = _time(folder / _MODEL / "_simulate.swim.json")
    roots = {str(f["hash"]): str(f["rawname"]) for f in program if f.get("graphtype") == _ROOT_GRAPH}
    calls = _calls(roots, topology)
    names = [str(function["rawname"]) for function in program if function.get("functype") == _KERNEL_FUNCTION]
    return Launch(
        folder=folder,
        kernel=names[0].removeprefix("TENSOR_") if names else "",
        microseconds=microseconds,
        utilisation=utilisation,
        tasks=tasks,
        paths=dict(sorted(Counter(name for window in calls for name in window.values()).items())),
        calls=calls,
        compiled=frozenset(roots.values()),
        ops=_ops(program, topology),
        seconds=_seconds(folder),
        stages=_stages(folder),
    )


def _time(swim: Path) -> tuple[float | None, float | None, int]:
    """Return (microseconds, utilisation, tasks) from the cost model's lanes."""
    tasks = [task for lane in _json(swim, default=[]) for task in lane["tasks"] if lane["coreType"] in {"AIC", "AIV"}]
    if not tasks:
        return None, None, 0
    span = max(task["execEnd"] for task in tasks) - min(task["execStart"] for task in tasks)
    busy = sum(task["execEnd"] - task["execStart"] for task in tasks)
    return span / CYCLES_PER_MICROSECOND, busy / (CORES * span) if span else None, len(tasks)


def _calls(roots: Mapping[str, str], topology: list[dict[str, str]]) -> tuple[dict[int, str], ...]:
    """Name the calls of each window; a task id's bits from 20 up are the call's number."""
    windows: dict[int, dict[int, str]] = {}
    for row in topology:
        windows.setdefault(int(row["seqNo"]), {})[int(row["taskId"]) >> 20] = roots.get(
            row["rootHash"], row["rootHash"]
        )
    return tuple(window for _, window in sorted(windows.items()))


def _ops(program: list[dict[str, Any]], topology: list[dict[str, str]]) -> dict[str, int]:
    """Count executed tile operations: each task runs the operations of its leaf function."""
    leaves = {
        str(f["hash"]): Counter(str(operation["opcode"]) for operation in f["operations"])
        for f in program
        if f.get("graphtype") == _LEAF_GRAPH
    }
    total: Counter[str] = Counter()
    for leaf, times in Counter(row["leafHash"] for row in topology).items():
        for opcode, count in leaves.get(leaf, {}).items():
            total[opcode] += count * times
    return dict(sorted(total.items()))


def _seconds(folder: Path) -> dict[str, float]:
    """Tell the stages' times from when their files were last written."""
    began = [path.stat().st_mtime for path in folder.glob("verify_*/verify_exception.log")]
    interpreted = [path.stat().st_mtime for path in folder.glob("verify_*/tensor_graph/*")]
    marks = {
        "interpret": max(interpreted, default=None),
        "compile": _written(folder / "program.json"),
        "control_flow": _written(folder / "dyn_topo.txt"),
        "model": _written(folder / _MODEL / "_simulate.stat.report.txt"),
    }
    previous = min((path.stat().st_ctime for path in folder.glob("tensor")), default=min(began, default=None))
    seconds = {}
    for stage, mark in marks.items():
        if mark is not None and previous is not None:
            seconds[stage] = max(0.0, mark - previous)
            previous = mark
    return seconds


def _written(path: Path) -> float | None:
    return path.stat().st_mtime if path.exists() else None


def _stages(folder: Path) -> tuple[str, ...]:
    found = {
        "trace": folder.is_dir(),
        "passes": (folder / "program.json").exists(),
        "interpreter": any(folder.glob("verify_*/verify_result*.csv")),
        "codegen": any((folder / "kernel_aicore").glob("*.cpp")),
        "control_flow": any((folder / "kernel_aicpu").glob("*.o")),
        "model": (folder / _MODEL / "_simulate.swim.json").exists(),
        "device_compiler": any((folder / "kernel_aicore").glob("*.o")),
    }
    return tuple(stage for stage, happened in found.items() if happened)


def _json(path: Path, *, default: Any) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return default


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(newline="") as stream:
            return list(csv.DictReader(stream))
    except OSError:
        return []
