"""A kernel with every form of control flow, and the call that records it."""

import dataclasses
from pathlib import Path
from typing import Any

import torch

from bsa._pypto import load, simulate
from verification.shadow import record

ROWS = 32
FOUR_UNITS = [[0, 1, 0, 4], [1, 1, 0, 0], [2, 1, 0, 0], [3, 1, 0, 0]]
"""Trip counts 0 to 3 of the inner loop; the last column of the first row is the number of units."""


def make() -> Any:
    """Make the kernel; PyPTO is loaded only here, in the process that runs it."""
    pypto = load()
    fp32, int32, n = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC

    @pypto.frontend.function
    def add_twice(source, target):
        once = pypto.add(source, source)  # add_twice
        target[:] = pypto.add(once, source)  # add_twice, second

    @pypto.frontend.jit()
    def every_form(
        x: pypto.Tensor([n, 64], fp32),
        counts: pypto.Tensor([n, 4], int32),
        out: pypto.Tensor([n, 64], fp32),
    ):
        """Row blocks, each with as many inner turns as the table says."""
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(counts[0, 3], name="U", idx_name="u"):  # U
            total = pypto.tensor([32, 64], fp32, "total")
            total[:] = pypto.full([32, 64], 0.0, fp32)  # total is zero
            for c in pypto.loop(counts[u, 0], name="C", idx_name="c"):  # C
                part = pypto.view(x, [32, 64], [u * 32, 0])
                if pypto.is_loop_begin(c):  # if
                    add_twice(part, total)  # call
                elif c == 1:  # elif
                    total[:] = total + part  # second turn
                else:
                    total[:] = total + 1.0  # else
            for place in range(2):  # unrolled
                shifted = pypto.add(total, float(place))  # unrolled body
            if counts[u, 1] > 0:  # noqa: SIM108  # untaken else
                shifted = pypto.mul(shifted, 2.0)  # taken
            else:
                shifted = pypto.mul(shifted, 3.0)  # untaken
            pypto.assemble(shifted, [u * 32, 0], out)  # assemble

    return every_form


def run(counts: list[list[int]], folder: Path) -> Any:
    """Run the kernel; return the launch as recorded, the simulator's figures, the output and what was left patched."""
    import pypto
    from pypto.frontend.parser import entry
    from pypto.frontend.parser.parser import Parser

    table = torch.tensor(counts, dtype=torch.int32)  # a line of ordinary Python
    rows = ROWS * len(counts)
    x, out = torch.ones(rows, 64), torch.full((rows, 64), torch.nan)
    owners = (pypto, Parser, pypto.Tensor, entry.JitCallableWrapper, pypto._controller)
    kernel = make()
    before = [dict(vars(owner)) for owner in owners]
    with simulate(output_dir=folder) as simulated, record() as recording:
        kernel(x, table, out)
    left = [
        name for owner, old in zip(owners, before, strict=True) for name in old if vars(owner)[name] is not old[name]
    ]
    return recording[0], simulated.launches[0], out[::ROWS, 0].tolist(), (left, recording.problem)


def line_of(comment: str) -> int:
    """The line of this file that ends with a comment."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))


def with_counts(launch: Any, counts: list[list[int]]) -> Any:
    """The same trace, which holds no size, with another table."""
    return dataclasses.replace(launch, tables={"counts": counts}, shapes={**launch.shapes, "counts": (len(counts), 4)})
