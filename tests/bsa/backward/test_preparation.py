"""Host preparation: the tables of plain loops, D without rounding on the way, memory in proportion to the inputs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings

from benchmarks.looped_tables import tables_in_loops
from bsa.contract import Problem
from bsa.kernels import backward_host
from bsa.kernels.backward_config import DEFAULT
from bsa.kernels.backward_host import Prepared, prepare
from tests.bsa.backward.test_tables import dense_problem, phases, problems
from tests.support.warm_process import WarmProcess


@settings(max_examples=60, deadline=None)
@given(problems())
def test_tables_are_those_of_plain_loops(drawn: tuple[Problem, torch.Tensor]) -> None:
    """The benchmark compares the same job: both tables are equal, entry for entry."""
    problem, mask = drawn
    widest = tuple(DEFAULT.widest(block, problem.head_dim) for block in problem.block_shape)
    looped = tables_in_loops(lambda *at: bool(mask[at]), problem, (widest[0], widest[1]))
    for mine, (units, chunks) in zip(phases(problem, mask), looped, strict=True):
        number = mine.ends[2]
        assert mine.units[:number].tolist() == units.tolist()
        assert mine.chunks.tolist() == chunks.tolist() or number == 0


def shapes_of(problem: Problem) -> dict[str, torch.Tensor]:
    """Return the six tensors of a BNSD call, without memory of their own."""
    query = (problem.batch, problem.heads_q, problem.seq_q, problem.head_dim)
    key = (problem.batch, problem.heads_kv, problem.seq_kv, problem.head_dim)
    names = {"query": query, "key": key, "value": key, "dout": query, "attention_out": query}
    tensors = {name: torch.zeros((), dtype=problem.dtype).expand(shape) for name, shape in names.items()}
    return {**tensors, "softmax_lse": torch.zeros(()).expand(query[:3])}


@pytest.mark.parametrize("elements", [64, 1000, 2**20])
def test_row_sums_do_not_depend_on_the_slices(monkeypatch: pytest.MonkeyPatch, elements: int) -> None:
    """D = rowsum(dO * O) in FP32, whether its rows come one by one, in slices with a rest, or all at once."""
    problem = dense_problem(2, 40, 16)
    draw = torch.Generator().manual_seed(0)
    tensors = {name: torch.rand(one.shape, generator=draw).to(one.dtype) for name, one in shapes_of(problem).items()}
    monkeypatch.setattr(backward_host, "SLICE", elements)
    delta = prepare(tensors, None, problem, DEFAULT).arguments[5]
    exact = (tensors["dout"].double() * tensors["attention_out"].double()).sum(dim=-1)
    torch.testing.assert_close(delta.view(exact.shape).double(), exact, rtol=1e-5, atol=1e-5)


def status(field: str) -> int:
    """Return the bytes that a field of this process's status states."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(field + ":")).split()[1]) << 10


def peak_of_preparation(rows: int) -> tuple[int, int, int]:
    """Return the bytes of inputs and of outputs, and the peak beyond the inputs."""
    problem = dense_problem(16, rows, rows, block=128)
    tensors = {name: torch.ones(one.shape, dtype=one.dtype) for name, one in shapes_of(problem).items()}
    mask = torch.rand(problem.mask_shape, generator=torch.Generator().manual_seed(0)) < 0.3
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status("VmRSS")
    kept: Prepared = prepare(tensors, mask, problem, DEFAULT)
    peak = status("VmHWM") - before
    return sum(one.nbytes for one in tensors.values()), sum(one.nbytes for one in kept.grad), peak


def test_memory_is_proportional_to_the_inputs(forked: WarmProcess) -> None:
    """Beyond inputs and outputs a tenth of the inputs at most, and a fixed amount: no copy of a tensor in FP32."""
    for rows in (4096, 16384):
        inputs, outputs, peak = forked(peak_of_preparation, rows)
        assert outputs <= peak <= outputs + inputs // 10 + (32 << 20)
