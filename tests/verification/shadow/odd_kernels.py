"""Kernels with odd forms of control flow, and the call that records one of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from bsa._pypto import load, simulate
from verification.shadow import record
from verification.shadow.account import Account, account, merged, portable
from verification.shadow.words import arcs_from_words, lines_from_words


def make(name: str) -> Any:  # noqa: C901, PLR0915 - the kernels, each short
    """Make a kernel; PyPTO is loaded only here, in the process that runs it."""
    pypto = load()
    from tests.verification.shadow import odd_helpers
    from tests.verification.shadow.odd_helpers import doubled, halved, shared, summed

    fp32, int32, n = pypto.DT_FP32, pypto.DT_INT32, pypto.DYNAMIC
    offset = 1.0

    @pypto.frontend.jit()
    def plain_helpers(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 4], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(x.shape[0] // 32, name="U", idx_name="u"):
            tile = pypto.view(x, [32, 64], [u * 32, 0])
            if t[u, 0] == 1:  # helpers: if
                tile = doubled(tile)  # helpers: doubled
            elif t[u, 0] == 2:  # helpers: elif
                tile = odd_helpers.tripled(tile)  # helpers: tripled
            elif t[u, 0] == 3:
                tile = halved(tile)  # helpers: halved
            elif t[u, 0] == 4:
                tile = summed([tile, tile])  # helpers: summed
            else:
                tile = pypto.add(tile, offset)  # helpers: else
            pypto.assemble(tile, [u * 32, 0], out)

    @pypto.frontend.jit()
    def nested(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 4], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(x.shape[0] // 32, name="U", idx_name="u"):  # nested: U
            total = pypto.tensor([32, 64], fp32, "total")
            total[:] = pypto.full([32, 64], 0.0, fp32)  # nested: zero
            for a in pypto.loop(t[u, 0], name="A", idx_name="a"):  # nested: A
                for b in pypto.loop(0, t[u, 1], 2, name="B", idx_name="b"):  # nested: B
                    if a * 2 + b > t[u, 2]:  # nested: beyond
                        total[:] = total + 10.0  # nested: ten
                    else:
                        if pypto.is_loop_end(b):  # nested: end
                            total[:] = total + 1.0  # nested: one
                        total[:] = total + 0.5  # nested: half
            pypto.assemble(total, [u * 32, 0], out)  # nested: assemble

    @pypto.frontend.jit()
    def unrolled(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 4], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(x.shape[0] // 32, name="U", idx_name="u"):
            total = pypto.tensor([32, 64], fp32, "total")
            total[:] = pypto.full([32, 64], 0.0, fp32)
            for a in pypto.loop(t[u, 0], name="A", idx_name="a", unroll_list=[4, 2, 1]):  # unrolled: A
                if a == 5:  # unrolled: if
                    total[:] = total + 100.0  # unrolled: five
                else:
                    total[:] = total + 1.0  # unrolled: one
            for _, times in pypto.loop_unroll(t[u, 1], name="V", idx_name="v", unroll_list=[2, 1]):  # unrolled: V
                if times == 2:
                    total[:] = total + 2000.0  # unrolled: two
                else:
                    total[:] = total + 1000.0  # unrolled: rest
            pypto.assemble(total, [u * 32, 0], out)

    @pypto.frontend.jit()
    def static(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 4], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        factor = max([2.0, 1.0], key=lambda one: one)  # static: lambda
        offsets = [float(one) for one in range(3)]  # static: comprehension
        for u in pypto.loop(x.shape[0] // 32, name="U", idx_name="u"):
            tile = pypto.view(x, [32, 64], [u * 32, 0])
            if len(offsets) > 5:  # noqa: SIM108  # static: never
                tile = pypto.add(tile, 7.0)  # static: never traced
            else:
                tile = pypto.mul(tile, factor)  # static: always
            for one in offsets:  # static: for
                if one > 1.0:  # static: inner if
                    tile = pypto.add(tile, one)  # static: once
            tile = pypto.add(tile, float(shared(0)))  # static: shared
            if t[u, 3] > 0:
                pass  # noqa: PIE790  # static: pass
                tile = pypto.add(tile, float(shared(3)))
            pypto.assemble(tile, [u * 32, 0], out)

    @pypto.frontend.jit()
    def contradicting(x: pypto.Tensor([n, 64], fp32), t: pypto.Tensor([n, 4], int32), out: pypto.Tensor([n, 64], fp32)):
        pypto.set_vec_tile_shapes(32, 64)
        for u in pypto.loop(x.shape[0] // 32, name="U", idx_name="u"):
            tile = pypto.view(x, [32, 64], [u * 32, 0])
            if t[u, 0] == 1:  # contradicting: one
                tile = pypto.add(tile, 1.0)
                if t[u, 0] == 2:  # noqa: SIM108  # contradicting: two
                    tile = pypto.add(tile, 5.0)  # contradicting: impossible
                else:
                    tile = pypto.add(tile, 2.0)  # contradicting: possible
            if t[u, 0] == 1:
                tile = pypto.add(tile, 3.0)  # contradicting: again
            if t[u, 1] == 1:
                for _ in pypto.loop(t[u, 2], name="Z", idx_name="z"):  # contradicting: Z
                    pypto.assemble(tile, [u * 32, 0], out)  # contradicting: in Z
            pypto.assemble(tile, [u * 32, 0], out)  # contradicting: last

    return locals()[name]


def run(name: str, table: list[list[int]], folder: Path) -> "Ran":
    """Run a kernel."""
    kernel = make(name)
    rows = 32 * len(table)
    x, out = torch.ones(rows, 64), torch.full((rows, 64), torch.nan)
    with simulate(output_dir=folder) as simulated, record() as recording:
        kernel(x, torch.tensor(table, dtype=torch.int32), out)
    assert not recording.problem, recording.problem
    return Ran(account(recording[0]), simulated.launches[0], out[::32, 0].tolist())


@dataclass(frozen=True)
class Ran:
    """One launch of a kernel."""

    account: Account
    simulated: Any
    column: list[float]
    """The first column of the output, one number a block of rows."""

    def seen(self, file: str) -> dict[str, str]:
        """What a record would say of a file."""
        return merged([self.account], self.simulated.compiled)[portable(file)]

    def lines(self, file: str, column: str) -> frozenset[int]:
        """Lines of a file that were ``traced``, ``compiled`` or ``executed``."""
        seen = self.seen(file)
        if column == "executed":
            return frozenset(line for arc in arcs_from_words(seen["arcs"]) for line in arc if line > 0)
        return lines_from_words(seen[column])
