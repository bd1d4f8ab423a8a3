"""Real attention data, computed once a process: B2 Hq4 Hkv2 S512 D128."""

from __future__ import annotations

from functools import cache

import torch

from verification.dut import References
from verification.record import OutputResult
from verification.scoreboard import judge
from verification.scoreboard.selftest import INPUTS, OUTPUTS, Problem, references

Data = tuple[Problem, References]


@cache
def data(kind: str = "uniform", dtype: torch.dtype = torch.float16) -> Data:
    """Inputs of a kind with their references."""
    problem = INPUTS[kind](7, dtype=dtype)
    return problem, references(problem)


def verdict(outputs: dict[str, torch.Tensor], kind: str = "uniform", dtype: torch.dtype = torch.float16) -> bool:
    """Whether all outputs pass."""
    return all(result.passed for result in results(outputs, kind, dtype))


def results(
    outputs: dict[str, torch.Tensor], kind: str = "uniform", dtype: torch.dtype = torch.float16
) -> tuple[OutputResult, ...]:
    """The results of ``out`` and ``lse``."""
    problem, right = data(kind, dtype)
    return judge(outputs, right, OUTPUTS, dtype=problem.dtype)
