"""The verdict of a relation on the outputs of all calls of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from stimuli.properties import Claim, Outputs, Relation
from verification.dut import OutputSpec
from verification.properties._rule import judge_claim
from verification.record import OutputResult
from verification.scoreboard.form import refused


def judge_relation(
    relation: Relation,
    outputs: Sequence[Outputs],
    facts: Sequence[Mapping[str, Any]],
    specs: Sequence[OutputSpec],
    *,
    dtype: str,
    blocks: tuple[int, int] = (0, 0),
) -> tuple[OutputResult, ...]:
    """Judges what a relation claims of the outputs of all calls.

    Whatever a DUT returned gives a result: an output that is missing, or of a shape that cannot be compared, breaks the
    relation.

    Args:
        relation: the relation.
        outputs: of every call, in order; CPU tensors.
        facts: of the stimulus of every call.
        specs: how the outputs of the case are judged.
        dtype: the case's dtype, for outputs whose dtype is ``input``.
        blocks: rows of a block of queries and of keys, for locations; 0 = not blocked.

    Returns:
        One result per claim, named ``output~relation@call``.
    """
    known = {spec.name: spec for spec in specs}
    problem = _incomplete(outputs, known)
    if problem:
        return tuple(refused(f"{name}~{relation.name}", None, problem) for name in known)
    results: list[OutputResult] = []
    try:
        for claim in relation.claims(outputs, facts):
            name = f"{claim.output}~{relation.name}@{claim.call}"
            results.append(_judged(claim, known[claim.output], relation, name, dtype=dtype, blocks=blocks))
    except (RuntimeError, IndexError, TypeError) as error:  # what torch raises for shapes that do not go together
        results.append(refused(f"~{relation.name}", None, f"the outputs cannot be compared: {error}"))
    return tuple(results)


def _judged(
    claim: Claim, spec: OutputSpec, relation: Relation, name: str, *, dtype: str, blocks: tuple[int, int]
) -> OutputResult:
    if claim.found.shape != claim.wanted.shape:
        return refused(name, claim.found, f"the shape is {list(claim.found.shape)}, not {list(claim.wanted.shape)}")
    return judge_claim(claim, spec, relation.name, name=name, dtype=dtype, blocks=blocks)


def _incomplete(outputs: Sequence[Outputs], specs: Mapping[str, OutputSpec]) -> str:
    """What is missing; empty if nothing is."""
    for number, one in enumerate(outputs, start=1):
        for name in specs:
            if not isinstance(one.get(name), torch.Tensor):
                return f"call {number} returned no {name}"
    return ""
