"""Which criterion notices which fault on which inputs, and which cries wolf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch

from verification.record import OutputResult
from verification.scoreboard import judge, standards
from verification.scoreboard.selftest.attention import OUTPUTS, attend, references
from verification.scoreboard.selftest.faults import FAULTS
from verification.scoreboard.selftest.inputs import INPUTS
from verification.scoreboard.selftest.recipe import RIGHT, Recipe

OURS = "ours"
RULES = ("structure", "maximum", "row", "head", "small")
"""Rules that judge O; LSE has its own."""


@dataclass
class Tally:
    """What one criterion did."""

    killed: set[tuple[str, str]] = field(default_factory=set)
    """(fault, inputs) pairs that O alone betrays."""
    killed_with_lse: set[tuple[str, str]] = field(default_factory=set)
    """Pairs that O or LSE betrays."""
    false_alarms: set[tuple[str, str]] = field(default_factory=set)
    """(right kernel, inputs) pairs that it fails."""


@dataclass
class Matrix:
    """The whole measurement."""

    tallies: dict[str, Tally]
    """By criterion: ``ours``, ``ours: <rule>``, then the standards."""
    pairs: set[tuple[str, str]] = field(default_factory=set)
    """(fault, inputs) pairs that were run."""
    visible: set[tuple[str, str]] = field(default_factory=set)
    """Pairs where the fault changes a bit of an output."""


def run_matrix(
    *,
    dtype: torch.dtype = torch.float16,
    seed: int = 0,
    inputs: Sequence[str] = tuple(INPUTS),
    faults: Sequence[str] = tuple(FAULTS),
) -> Matrix:
    """Judges every fault and every right kernel on every kind of inputs.

    Args:
        dtype: of query, key and value.
        seed: of the inputs.
        inputs: names in :data:`INPUTS`.
        faults: names in :data:`FAULTS`.
    """
    names = (OURS, *(f"{OURS}: {rule}" for rule in RULES), *standards.NAMES)
    matrix = Matrix(tallies={name: Tally() for name in names})
    for kind in inputs:
        problem = INPUTS[kind](seed, dtype=dtype)
        right = references(problem)
        plain = attend(problem, Recipe())
        for name, recipe in RIGHT.items():
            results = judge(attend(problem, recipe), right, OUTPUTS, dtype=problem.dtype)
            for criterion in {*_failed(results[0]), *_failed(results[1])}:
                matrix.tallies[criterion].false_alarms.add((name, kind))
        for name in faults:
            found = FAULTS[name].run(problem)
            matrix.pairs.add((name, kind))
            if all(_same_bits(found[one], plain[one]) for one in plain):
                continue
            matrix.visible.add((name, kind))
            out, lse = judge(found, right, OUTPUTS, dtype=problem.dtype)
            for criterion in _failed(out):
                matrix.tallies[criterion].killed.add((name, kind))
            for criterion in {*_failed(out), *_failed(lse)}:
                matrix.tallies[criterion].killed_with_lse.add((name, kind))
    return matrix


def _failed(result: OutputResult) -> Iterator[str]:
    if not result.passed:
        yield OURS
    yield from (f"{OURS}: {check.rule}" for check in result.checks if check.rule in RULES and not check.passed)
    yield from (standard.name for standard in result.standards if not standard.passed)


def _same_bits(left: torch.Tensor, right: torch.Tensor) -> bool:
    return torch.equal(left.view(torch.uint8), right.view(torch.uint8))
