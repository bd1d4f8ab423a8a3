"""Outputs of cases, saved to be compared between two versions of PyPTO: records hold digests, not numbers.

``python -m verification.limits.outputs FILE CASE…`` runs cases by id with the PyPTO of its process, and saves them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from verification.backends import open_backend
from verification.dut import Call, find_duts
from verification.plan import Budget
from verification.record import Record
from verification.scoreboard.ulp import FORMATS, ulp
from verification.selection import find_case

Saved = Mapping[str, Sequence[Mapping[str, torch.Tensor]]]
"""By case: the outputs of its calls, by name."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Outputs of one run beside those of another."""

    equal: int
    """Outputs that are the same, bit for bit."""
    other: tuple[tuple[str, str], ...]
    """(case, output) of those that are not."""

    @property
    def cases(self) -> tuple[str, ...]:
        """Cases with an output that differs."""
        return tuple(dict.fromkeys(case for case, _ in self.other))


def compare_digests(ours: Iterable[Record], theirs: Iterable[Record]) -> Compared:
    """Compares the outputs that both runs have, by their digests."""
    digests = {(one.case_id, output.name): output.digest for one in ours for output in one.outputs if output.digest}
    pairs = [(one.case_id, output.name, output.digest) for one in theirs for output in one.outputs if output.digest]
    common = [(case, name, digest) for case, name, digest in pairs if (case, name) in digests]
    other = tuple((case, name) for case, name, digest in common if digests[case, name] != digest)
    return Compared(equal=len(common) - len(other), other=other)


def distances(ours: Saved, theirs: Saved) -> dict[tuple[str, str], float]:
    """By (case, output): the largest distance over its calls, in units in the last place of ours.

    It is infinite where the kinds of two numbers differ, and where one of both did not return.
    """
    found: dict[tuple[str, str], float] = {}
    for case in ours.keys() & theirs.keys():
        for number in range(max(len(ours[case]), len(theirs[case]))):
            one, other = (calls[case][number] if number < len(calls[case]) else {} for calls in (ours, theirs))
            for name in one.keys() | other.keys():
                both = name in one and name in other
                apart = ulps(one[name], other[name]) if both else float("inf")
                found[case, name] = max(found.get((case, name), 0.0), apart)
    return found


def ulps(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """Largest distance of two outputs of one dtype and shape, in units in the last place of the first."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return float("inf")
    form = FORMATS[str(ours.dtype).removeprefix("torch.")]
    one, other = ours.double().numpy(), theirs.double().numpy()
    plain = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(one[~plain], other[~plain], equal_nan=True):
        return float("inf")
    return float((np.abs(one[plain] - other[plain]) / ulp(one[plain], form)).max(initial=0.0))


def outputs_with(environ: Mapping[str, str], cases: Sequence[str], file: Path) -> Saved:
    """Outputs of cases, run in a process with this environment.

    Raises:
        subprocess.CalledProcessError: the process failed.
    """
    command = [sys.executable, "-m", "verification.limits.outputs", str(file), *cases]
    subprocess.run(command, env=environ, check=True)
    saved: Saved = torch.load(file, weights_only=True)
    return saved


def _save(file: Path, cases: Sequence[str]) -> None:
    """Runs cases one after another."""
    duts, saved = find_duts(), {}
    backend = open_backend("sim", {})
    try:
        for name in cases:
            case = find_case(duts, name).case
            seen = backend.run(case, duts[case.dut], Call(), Budget(seconds=600.0, bytes=8 << 30))
            saved[name] = [dict(one.outputs) for one in seen.calls]
            backend.finish(None)
    finally:
        backend.close()
    torch.save(saved, file)


if __name__ == "__main__":
    _save(Path(sys.argv[1]), sys.argv[2:])
