"""Small kernels, right and wrong, with the calls that run them."""

from pathlib import Path
from typing import Any

import torch

from bsa._pypto import load, simulate, trace_only


def make(name: str) -> Any:  # noqa: C901 - one after the other
    """Make one of the kernels; PyPTO is loaded only here, in the process that runs it."""
    pypto = load()
    n = pypto.DYNAMIC

    @pypto.frontend.jit()
    def add_one(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    @pypto.frontend.jit()
    def explicit_cond(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0])
            if pypto.cond(pypto.is_loop_begin(i)):
                pypto.assemble(pypto.add(part, 1.0), [i * 64, 0], y)

    @pypto.frontend.jit()
    def power_of_a_symbol(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.add(pypto.view(x, [64, 128], [0, 0]), i**-0.5), [i * 64, 0], y)

    @pypto.frontend.jit()
    def sizes_that_differ(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[pypto.min(64, 40 + i), 128])
            whole = pypto.view(x, [64, 128], [i * 64, 0])
            pypto.assemble(pypto.maximum(part, whole), [i * 64, 0], y)

    @pypto.frontend.jit()
    def composed_by_pypto(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            part = pypto.view(x, [64, 128], [i * 64, 0], valid_shape=[pypto.min(64, 40 + i), 128])
            pypto.assemble(pypto.sigmoid(part), [i * 64, 0], y)

    @pypto.frontend.jit()
    def without_a_cost(x: pypto.Tensor([n, 128], pypto.DT_FP32), y: pypto.Tensor([n, 128], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(64, 128)
        for i in pypto.loop(x.shape[0] // 64, name="ROWS", idx_name="i"):
            pypto.assemble(pypto.exp2(pypto.view(x, [64, 128], [i * 64, 0])), [i * 64, 0], y)

    kernels = (add_one, explicit_cond, power_of_a_symbol, sizes_that_differ, composed_by_pypto, without_a_cost)
    return {kernel.__name__: kernel for kernel in kernels}[name]


def run(
    name: str = "add_one", *, rows: int = 128, dtype: Any = torch.float32, strided: bool = False, **options: Any
) -> Any:
    """Run a kernel on ones; return its output and what simulate reports."""
    x = torch.ones(rows, 128, dtype=dtype)
    if strided:
        x = torch.ones(128, rows, dtype=dtype).t()
    y = torch.full((rows, 128), torch.nan)
    kernel = make(name)
    with simulate(**options) as simulated:
        kernel(x, y)
    return y, simulated


def run_nested(folder: Path) -> Any:
    """Run one kernel in an inner and one in an outer block; return the outer's and the inner's launches."""
    x, y, add_one = torch.ones(64, 128), torch.full((64, 128), torch.nan), make("add_one")
    with simulate(output_dir=folder) as outer:
        with simulate() as inner:
            add_one(x, y)
        add_one(x, y)
    return outer, inner, y


def raise_of_the_caller() -> None:
    with simulate():
        raise LookupError("not PyPTO's")


def trace_then_run() -> Any:
    """Launch one jit object twice, the first time for its trace alone; return both outputs."""
    x, outputs = torch.ones(128, 128), [torch.full((128, 128), torch.nan) for _ in range(2)]
    kernel = make("add_one")
    with trace_only():
        kernel(x, outputs[0])
    with simulate():
        kernel(x, outputs[1])
    return outputs
