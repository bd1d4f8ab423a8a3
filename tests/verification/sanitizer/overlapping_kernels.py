"""Small kernels that write one region twice, and the call that shows what PyPTO orders."""

from pathlib import Path
from typing import Any

import torch

from bsa._pypto import load, simulate
from verification.backends.sim.measure import measure
from verification.shadow import record
from verification.shadow.account import account

ROWS = 96


def make(name: str) -> Any:  # noqa: C901 - one kernel a way of overlapping
    """Make one of the kernels; PyPTO is loaded only here, in the process that runs it."""
    pypto = load()
    fp32, n = pypto.DT_FP32, pypto.DYNAMIC

    @pypto.frontend.jit()
    def read_between(x: pypto.Tensor([n, 64], fp32), out: pypto.Tensor([n, 64], fp32), o: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(2, name="U", idx_name="u"):
            pypto.assemble(pypto.add(pypto.view(x, [32, 64], [u * 32, 0]), 1.0), [u * 32, 0], out)  # between: first
        for w in pypto.loop(1, name="W", idx_name="w"):
            pypto.assemble(pypto.exp(pypto.view(out, [32, 64], [w * 32, 0])), [w * 32, 0], o)
        for v in pypto.loop(1, name="V", idx_name="v"):
            part = pypto.view(x, [32, 64], [v * 32 + 64, 0])
            pypto.assemble(pypto.add(part, 3.0), [v * 32 + 32, 0], out)  # between: then

    @pypto.frontend.jit()
    def iterations(x: pypto.Tensor([n, 64], fp32), out: pypto.Tensor([n, 64], fp32), o: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(3, name="U", idx_name="u"):
            pypto.assemble(pypto.add(pypto.view(x, [32, 64], [u * 32, 0]), 1.0), [u * 16, 0], out)  # iterations

    @pypto.frontend.jit()
    def one_call(x: pypto.Tensor([n, 64], fp32), out: pypto.Tensor([n, 64], fp32), o: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(2, name="U", idx_name="u"):
            part = pypto.view(x, [32, 64], [u * 32, 0])
            pypto.assemble(pypto.add(part, 1.0), [u * 32, 0], out)  # one call: first
            half = pypto.view(part, [16, 64], [0, 0])
            pypto.assemble(pypto.add(half, 2.0), [u * 32 + 8, 0], out)  # one call: then

    @pypto.frontend.jit()
    def ordered(x: pypto.Tensor([n, 64], fp32), out: pypto.Tensor([n, 64], fp32), o: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(1, name="U", idx_name="u"):
            pypto.assemble(pypto.add(pypto.view(x, [32, 64], [u * 32, 0]), 1.0), [u * 32, 0], out)
        for w in pypto.loop(1, name="W", idx_name="w"):
            pypto.assemble(pypto.exp(pypto.view(out, [32, 64], [w * 32, 0])), [w * 32, 0], o)
        for v in pypto.loop(1, name="V", idx_name="v"):
            pypto.assemble(pypto.add(pypto.view(o, [32, 64], [v * 32, 0]), 3.0), [v * 32, 0], out)

    @pypto.frontend.jit()  # 1128 pairs of each tensor that are ordered, then one that is not
    def after_many(x: pypto.Tensor([n, 64], fp32), out: pypto.Tensor([n, 64], fp32), o: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for _ in pypto.loop(48, name="U", idx_name="u"):
            for z in pypto.loop(1, name="Z", idx_name="z"):
                pypto.assemble(pypto.add(pypto.view(o, [32, 64], [z * 32, 0]), 1.0), [z * 32, 0], out)
            for w in pypto.loop(1, name="W", idx_name="w"):
                pypto.assemble(pypto.mul(pypto.view(out, [32, 64], [w * 32, 0]), 0.5), [w * 32, 0], o)
        for v in pypto.loop(2, name="V", idx_name="v"):
            part = pypto.view(x, [32, 64], [v * 32, 0])
            pypto.assemble(pypto.add(part, 3.0), [v * 16 + 32, 0], out)  # after many

    return locals()[name]


def run(name: str, folder: Path) -> tuple[list[Any], torch.Tensor]:
    """Run a kernel as a case does; return what was found, and the output."""
    x, out, other = torch.ones(ROWS, 64), torch.full((ROWS, 64), torch.nan), torch.zeros(ROWS, 64)
    kernel = make(name)
    with simulate(output_dir=folder), record() as recording:
        kernel(x, out, other)
    answer = {"wall_s": 0.0, "cpu_s": 0.0, "peak_bytes": 0}
    found, whole, differences = measure(folder, answer, "none", [account(one) for one in recording])
    assert whole
    assert not differences
    return list(found.findings), out
