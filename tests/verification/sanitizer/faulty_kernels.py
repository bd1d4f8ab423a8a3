"""Small kernels, each with one mistake that PyPTO runs without a word, and the call that records it."""

from pathlib import Path
from typing import Any

import torch

from bsa._pypto import load, simulate
from verification.shadow import record

ROWS = 96


def make(name: str) -> Any:  # noqa: C901 - one kernel a class
    """Make one of the kernels; PyPTO is loaded only here, in the process that runs it."""
    pypto = load()
    fp32, int32, n = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC

    @pypto.frontend.jit()
    def view_outside(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [t[u, 0], 0])  # view-outside
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def write_outside(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.add(part, 1.0), [u * 32, t[u, 1]], out)  # write-outside

    @pypto.frontend.jit()
    def table_outside(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [pypto.min(pypto.max(t[u + 1, 0], 0), 64), 0])  # table-outside
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def never_written(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(t[0, 1], name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)  # never-written

    @pypto.frontend.jit()
    def lost_write(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        out[:] = x  # lost-write

    @pypto.frontend.jit()
    def written_twice(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)
            pypto.assemble(pypto.add(part, 2.0), [u * 32, 0], out)  # written-twice

    @pypto.frontend.jit()
    def parallel_overlap(
        x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)
    ):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u", parallel=True):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.add(part, 1.0), [u // 2 * 32, 0], out)  # parallel-overlap

    @pypto.frontend.jit()
    def uninitialised(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            total = pypto.tensor([32, 64], fp32, "total")
            for c in pypto.loop(t[u, 1], 2, name="C", idx_name="c"):
                part = pypto.view(x, [32, 64], [u * 32, 0])
                if c == 0:
                    total[:] = pypto.add(part, 0.0)
                else:
                    total[:] = pypto.add(total, part)  # uninitialised
            pypto.assemble(pypto.add(total, 0.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def padding(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            tile = pypto.tensor([32, 64], fp32, "tile")
            part = pypto.view(x, [32, 64], [u * 32, 0], valid_shape=[pypto.min(t[u, 0], 32), 64])
            pypto.assemble(part, [0, 0], tile)
            pypto.assemble(pypto.add(pypto.view(tile, [32, 64], [0, 0]), 1.0), [u * 32, 0], out)  # padding

    return locals()[name]


def run(name: str, table: list[list[int]], folder: Path) -> Any:
    """Run a kernel; return the launch as recorded, and what became of its output."""
    return launch(make(name), table, folder)


def launch(kernel: Any, table: list[list[int]], folder: Path) -> Any:
    """Run any kernel of these three arguments in this process."""
    x, out = torch.ones(ROWS, 64), torch.full((ROWS, 64), torch.nan)
    with simulate(output_dir=folder), record() as recording:
        kernel(x, torch.tensor(table, dtype=torch.int32), out)
    return recording[0], out


def line_of(comment: str, file: str = __file__) -> int:
    """The line of a file, this one by default, that ends with a comment."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))
