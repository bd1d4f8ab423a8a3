"""Measures our criterion and those of others: which faults each notices, and which right kernels it fails.

Run ``python benchmarks/criteria.py [--dtype float16|bfloat16] [--seed N]``; the tables stand in ``docs/criterion.md``.
"""

from __future__ import annotations

import argparse
import time

import torch

from verification.scoreboard.selftest import FAULTS, INPUTS, RIGHT
from verification.scoreboard.selftest.matrix import OURS, Matrix, run_matrix

SHOWN = (OURS, "seed", "flash-attention-2", "flash-attention-4", "cann-2.1-l2", "cann-mixed", "op-plugin", "tilelang")
"""Criteria with a column of their own in the second table."""


def summary(matrix: Matrix) -> str:
    """One line a criterion: share of faults noticed, and inputs on which a right kernel is failed."""
    lines = [
        "| criterion | kills by O | by O or LSE | of the visible | false alarms (inputs) |",
        "|---|---|---|---|---|",
    ]
    for name, tally in matrix.tallies.items():
        by_out, by_both = len(tally.killed), len(tally.killed_with_lse)
        wolves = {kind for _, kind in tally.false_alarms}
        lines.append(
            f"| {name} | {by_out / len(matrix.pairs):.0%} | {by_both / len(matrix.pairs):.0%} "
            f"| {by_both / len(matrix.visible):.0%} | {len(wolves)} of {len(INPUTS)} |"
        )
    return "\n".join(lines)


def by_fault(matrix: Matrix) -> str:
    """One line a fault: on how many of the inputs where it shows each criterion notices it."""
    lines = ["| fault | shows on | " + " | ".join(SHOWN) + " |", "|---|---|" + "---|" * len(SHOWN)]
    for fault in FAULTS:
        shows = sum(1 for name, _ in matrix.visible if name == fault)
        counts = [sum(1 for name, _ in matrix.tallies[one].killed_with_lse if name == fault) for one in SHOWN]
        lines.append(f"| {fault} | {shows} | " + " | ".join(str(count) for count in counts) + " |")
    return "\n".join(lines)


def missed(matrix: Matrix) -> str:
    """The pairs that show and that our criterion does not notice."""
    left: dict[str, list[str]] = {}
    for fault, kind in sorted(matrix.visible - matrix.tallies[OURS].killed_with_lse):
        left.setdefault(fault, []).append(kind)
    return "\n".join(f"- {fault}: {', '.join(kinds)}" for fault, kinds in left.items())


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default="float16")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.process_time()
    matrix = run_matrix(dtype=getattr(torch, options.dtype), seed=options.seed)
    pairs = f"{len(FAULTS)} faults x {len(INPUTS)} inputs, {len(matrix.visible)} of {len(matrix.pairs)} pairs visible"
    print(f"{options.dtype}, seed {options.seed}: {pairs}; {len(RIGHT)} right kernels\n")
    print(summary(matrix), "\n")
    print(by_fault(matrix), "\n")
    print("Not noticed by ours:\n" + missed(matrix))
    print(f"\n{time.process_time() - start:.0f} CPU s")


if __name__ == "__main__":
    main()
