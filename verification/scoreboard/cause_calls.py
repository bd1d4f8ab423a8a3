"""Causes that show only beside the other calls of a case, or beside its inputs: stale answers, NaN that spreads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch

from verification.record import OutputResult

CLOSE = 1e-2
"""Relative distance within which an output is the answer of another call, whatever else is wrong with it."""
APART = 4.0
"""How many times farther the answer of its own call has to be."""
SPREADS = "NaN or Inf that the inputs hold spreads into rows whose answer is finite"


def with_causes(
    results: Sequence[OutputResult],
    outputs: Mapping[str, torch.Tensor],
    golds: Sequence[Mapping[str, torch.Tensor]],
    *,
    poisoned: bool,
) -> tuple[OutputResult, ...]:
    """Results with the causes that one call alone does not show, before those that it does.

    Args:
        results: of one call.
        outputs: of the same call.
        golds: right answers of every call up to this one, the last.
        poisoned: whether the inputs hold NaN or Inf.
    """
    return tuple(_with_cause(one, outputs, golds, poisoned=poisoned) for one in results)


def not_finite(tensors: Mapping[str, torch.Tensor]) -> bool:
    """Whether inputs hold NaN or +Inf; -Inf is what the log-sum-exp of a row that selects nothing is."""
    floating = [one for one in tensors.values() if one.is_floating_point()]
    return any(bool((one.isnan() | one.isposinf()).any()) for one in floating)


def _with_cause(
    result: OutputResult,
    outputs: Mapping[str, torch.Tensor],
    golds: Sequence[Mapping[str, torch.Tensor]],
    *,
    poisoned: bool,
) -> OutputResult:
    location = result.location
    answers = [gold[result.name] for gold in golds if result.name in gold]
    if location is None or len(answers) != len(golds):
        return result
    found = outputs[result.name].detach().double()
    own = answers[-1]
    if found.shape != own.shape:
        return result
    if poisoned and bool((~found.isfinite() & own.isfinite()).any()):
        return replace(result, location=replace(location, cause=SPREADS, ratio_fit=None))
    stale = _stale(found, answers)
    if not stale:
        return result
    return replace(result, location=replace(location, cause="; ".join(filter(None, (stale, location.cause)))))


def _stale(found: torch.Tensor, answers: Sequence[torch.Tensor]) -> str:
    """The answer of which earlier call was returned; empty if of none."""
    own = _distance(found, answers[-1])
    for number in range(len(answers) - 1, 0, -1):
        earlier = _distance(found, answers[number - 1])
        if earlier <= CLOSE and own > APART * max(earlier, CLOSE / APART):
            return f"call {len(answers)} returned the answer of call {number}, as tables kept by an address do"
    return ""


def _distance(found: torch.Tensor, answer: torch.Tensor) -> float:
    """Relative distance over what the answer defines: finite, and no row that is zero."""
    if answer.shape != found.shape:
        return float("inf")
    counted = answer.isfinite() & found.isfinite() & (answer != 0)
    norm = float(answer[counted].norm())
    return float((found - answer)[counted].norm()) / norm if norm else float("inf")
