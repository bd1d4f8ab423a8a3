"""One compiled object serves every batch, head count and length: the traced program does not know them."""

import json
import re
from pathlib import Path

from bsa._pypto import simulate
from bsa.kernels.forward import build_forward
from tests.bsa.forward.calls import Call, assert_right, forward

SHAPES = (
    Call(seq=(96, 128)),
    Call(batch=2, heads=(4, 4), seq=(64, 128), lengths=((64, 1), (100, 128))),
    Call(heads=(3, 1), seq=(100, 128), scale=0.5),
)
"""Rows of one and of two key blocks in each: the same widths."""


def run_all(folder: Path) -> tuple[list[object], int, list[str]]:
    """Run every shape in one process; return results, jit objects made, and the programs."""
    results, programs = [], []
    for number, call in enumerate(SHAPES):
        with simulate(output_dir=folder / str(number)) as run:
            results.append(forward(call.tensors(), call))
        programs.append((run.launches[0].folder / "program.json").read_text())
    return results, build_forward.cache_info().currsize, programs


def masked(program: str) -> list[object]:
    """Reduce a program to its operations, numbers that only name things taken out."""
    functions = json.loads(program)["functions"]
    return [
        (re.sub(r"\d+", "#", function["rawname"]), [operation["opcode"] for operation in function["operations"]])
        for function in functions
    ]


def test_one_object_runs_all_shapes_right_and_traces_one_program(forked, tmp_path):
    results, objects, programs = forked(run_all, tmp_path)
    for result, call in zip(results, SHAPES, strict=True):
        assert_right(result, call)
    assert objects == 1
    assert masked(programs[0]) == masked(programs[1]) == masked(programs[2])
