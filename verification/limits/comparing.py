"""Outputs of probes before and after: empty, and compared with the right answer. Used on a card too: imports no bsa."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from verification.limits.limit import Probe

if TYPE_CHECKING:
    import torch

TOLERANCE: Final = 1e-5
"""Absolute and relative; the inputs make right results exact, or rounded once to FP32."""


def empty_output(probe: Probe, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
    """An output of the answer's shape, NaN where the probe does not say otherwise; FP32 where the answer is FP64."""
    import torch

    answer = probe.answer(*inputs)
    dtype = torch.float32 if answer.dtype == torch.float64 else answer.dtype
    return torch.full(answer.shape, torch.nan if probe.fill is None else probe.fill, dtype=dtype)


def difference(output: torch.Tensor, answer: torch.Tensor) -> str:
    """How an output differs from the answer, in words; empty if it does not."""
    output, answer = output.double(), answer.double()
    wrong = ~((output - answer).abs() <= TOLERANCE + TOLERANCE * answer.abs())
    if not wrong.any():
        return ""
    share = f"wrong numbers: {int(wrong.sum())} of {wrong.numel()} elements"
    untouched = int(output.isnan().sum())
    if untouched:
        return f"{share}, {untouched} never written"
    return f"{share}, largest error {float((output - answer).abs().max()):.3g}"
