"""The same mistakes in less usual dress: in inlined functions, slices, unrolled loops, views of views."""

from pathlib import Path
from typing import Any

import torch

from bsa._pypto import KernelError, load, simulate
from tests.verification.sanitizer import faulty_kernels
from verification.shadow import Recording, record


def make(name: str) -> Any:  # noqa: C901, PLR0915 - one kernel a dress
    """Make one of the kernels; PyPTO is loaded only here, in the process that runs it."""
    pypto = load()
    fp32, int32, n = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC

    @pypto.frontend.function
    def take(source, begin, target, place):
        part = pypto.view(source, [32, 64], [begin, 0])  # inlined
        pypto.assemble(pypto.add(part, 1.0), [place, 0], target)

    @pypto.frontend.jit()
    def inlined(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            take(x, t[u, 0], out, u * 32)

    @pypto.frontend.jit()
    def view_of_view(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            half = pypto.view(part, [16, 64], [t[u, 0], 0])  # view_of_view
            pypto.assemble(pypto.add(half, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def sliced(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            at = t[u, 0]
            part = x[at : at + 32, 0:64]  # sliced
            out[u * 32 : u * 32 + 32, 0:64] = pypto.add(part, 1.0)

    @pypto.frontend.jit()
    def unrolled(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            for turn in range(2):
                pypto.assemble(pypto.add(part, 1.0 + turn), [u * 32, 0], out)  # unrolled

    @pypto.frontend.jit()
    def before_the_table(
        x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)
    ):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [pypto.min(pypto.max(t[u - 1, 0], 0), 64), 0])  # before_the_table
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def more_than_the_view(
        x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)
    ):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(2, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 40, 0], valid_shape=[t[u, 0], 64])  # more_than_the_view
            pypto.assemble(pypto.add(part, 1.0), [u * 48, 0], out)

    @pypto.frontend.jit()
    def gathered(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        pypto.set_cube_tile_shapes([32, 32], [64, 64], [64, 64])
        for u in pypto.loop(3, name="U", idx_name="u"):
            tile = pypto.tensor([64, 64], fp32, "tile")
            for slot in range(2):
                rows = pypto.min(t[u, slot], 32)
                pypto.assemble(pypto.view(x, [32, 64], [slot * 32, 0], valid_shape=[rows, 64]), [slot * 32, 0], tile)
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.matmul(part, tile, fp32, b_trans=True), [u * 32, 0], out)  # gathered

    @pypto.frontend.jit()
    def shared(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        held = pypto.tensor([32, 64], fp32, "held")
        for u in pypto.loop(3, name="U", idx_name="u", parallel=True):
            held[:] = pypto.add(pypto.view(x, [32, 64], [u * 32, 0]), 1.0)  # shared
            pypto.assemble(pypto.add(held, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def own(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u", parallel=True):
            held = pypto.tensor([32, 64], fp32, "held")
            for c in pypto.loop(2, name="C", idx_name="c"):
                if c == 0:
                    held[:] = pypto.add(pypto.view(x, [32, 64], [u * 32, 0]), 1.0)
                else:
                    held[:] = pypto.add(held, 1.0)
            pypto.assemble(pypto.add(held, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def never_begun(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        total = pypto.tensor([32, 64], fp32, "total")
        for u in pypto.loop(3, name="U", idx_name="u"):
            total[:] = pypto.add(total, pypto.view(x, [32, 64], [u * 32, 0]))  # never_begun
        for v in pypto.loop(1, name="V", idx_name="v"):
            pypto.assemble(pypto.add(total, 0.0), [v * 32, 0], out)

    @pypto.frontend.jit()
    def before_begin(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [t[u, 0], 0])  # before_begin
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)

    @pypto.frontend.jit()
    def beyond_end(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 2], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.add(part, 1.0), [t[u, 0], 0], out)  # beyond_end

    return locals()[name]


def run(name: str, table: list[list[int]], folder: Path) -> Any:
    """Run a kernel; return the launch as recorded, and what became of its output."""
    return faulty_kernels.launch(make(name), table, folder)


def break_(name: str, table: list[list[int]], folder: Path) -> Any:
    """Run a kernel that PyPTO ends with an error; return the launch as recorded, and the error's text."""
    x, out = torch.ones(faulty_kernels.ROWS, 64), torch.full((faulty_kernels.ROWS, 64), torch.nan)
    kernel, recording = make(name), Recording()
    try:
        with simulate(output_dir=folder), record(recording):
            kernel(x, torch.tensor(table, dtype=torch.int32), out)
    except KernelError as error:
        (launched,) = recording.broken
        return launched, str(error)
    raise AssertionError("PyPTO raised nothing")
