"""Compares what the interpreter computed after each compile pass with the tensor graph's result.

PyPTO writes both to files and a verdict of its own, which counts NaN against a finite value as a pass and raises
nothing; so the files are compared here, and its verdict is not read. Late passes (from ``InferParamIndex`` on) write
only the first corner of an output, of the shape that the table calls valid: that much of them can be compared.

NumPy is imported late: it starts threads, and importing this package must not, since warm parents fork after it.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ATOL: Final = 1e-3
RTOL: Final = 1e-3
"""What two passes may differ by: the order of summation is the pass's to choose, the result is not."""
_OLDER_PASS: Final = re.compile(r"pass_\d+_\w+$")
"""A pass, at the end of what PyPTO 0.1 calls the type of a verification."""


@dataclass(frozen=True, kw_only=True)
class PassComparison:
    """One compile pass of one launch."""

    name: str
    """PyPTO's name of it, for example ``Pass_14_SplitK``."""
    outputs: int
    """Outputs compared: one per path, iteration and output of the kernel."""
    differing: int
    """Of these, how many differ: an element further off than ``ATOL + RTOL·|golden|``, or NaN or Inf elsewhere."""
    first: str
    """The first that differs, in words; empty if none does."""


def compare_passes(folder: Path) -> tuple[PassComparison, ...]:
    """Compare the passes of one launch, in their order.

    Args:
        folder: the launch's ``output_*`` folder.

    Returns:
        One comparison per pass that the interpreter ran after; none if it only ran the tensor graph.
    """
    found: dict[str, list[str]] = {}
    for table in sorted(folder.glob("verify_*/verify_result_brief.csv")):
        with table.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                found.setdefault(row["passName"], []).append(_difference(table.parent, row))
    if not any(folder.glob("verify_*/verify_result_brief.csv")):
        found = _verdicts(folder)
    return tuple(
        PassComparison(
            name=name,
            outputs=len(rows),
            differing=sum(bool(text) for text in rows),
            first=next((text for text in rows if text), ""),
        )
        for name, rows in sorted(found.items())
    )


def _verdicts(folder: Path) -> dict[str, list[str]]:
    """What PyPTO 0.1 says of each output by pass: it keeps no golden tensor, so its own verdict has to do.

    That verdict takes NaN beside a number for equal.
    """
    found: dict[str, list[str]] = {}
    for table in sorted(folder.glob("verify_*/verify_result.csv")):
        with table.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                name = _OLDER_PASS.search(row["verifyType"] or "")
                if name:
                    said = "" if row["verifyResult"] == "PASS" else f"{row['errorCount']} elements: {row['maxAbsDiff']}"
                    found.setdefault(f"P{name.group()[1:]}", []).append(said and f"{row['verifyType']}: {said}")
    return found


def _difference(folder: Path, row: Mapping[str, str]) -> str:
    """Say how one output differs from its golden; empty if it does not."""
    import numpy as np

    where = f"{row['verifyType']} {row['loopInfo']} {row['ioflag']}"
    pair = [
        _load(folder / row["passName"] / row[name], row["outputDtype"]) for name in ("outputTensor", "goldenTensor")
    ]
    output, golden = pair
    if output is None or golden is None:
        return f"{where}: nothing to compare"
    if output.size != golden.size:
        corner = tuple(slice(side) for side in json.loads(row["outputValidShape"]))
        golden = golden.reshape(json.loads(row["outputShape"]))[corner].reshape(-1)
    if output.size != golden.size:
        return f"{where}: {output.size} elements against {golden.size}"
    same = (output == golden) | (np.isnan(output) & np.isnan(golden))
    with np.errstate(invalid="ignore"):
        near = np.abs(output - golden) <= ATOL + RTOL * np.abs(golden)
    wrong = ~(same | near)
    if not wrong.any():
        return ""
    worst = int(np.argmax(wrong))
    return f"{where}: {int(wrong.sum())} elements, first {worst}: {output[worst]:g} for {golden[worst]:g}"


def _load(path: Path, dtype: str) -> NDArray[np.float64] | None:
    """Read a tensor's raw bytes as float64; None if the file is missing or of a dtype that no output has."""
    import numpy as np

    readers: dict[str, Any] = {"DT_FP16": np.float16, "DT_FP32": np.float32, "DT_INT32": np.int32, "DT_BF16": np.uint16}
    if dtype not in readers or not path.is_file():
        return None
    raw = np.fromfile(path, dtype=readers[dtype])
    if dtype == "DT_BF16":
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    return raw.astype(np.float64)
