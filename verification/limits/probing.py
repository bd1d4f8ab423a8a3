"""One launch of one probe: right numbers, or the way in which it failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from verification.limits.limit import ACTIVE, OTHER, Probe

if TYPE_CHECKING:
    import torch

TOLERANCE: Final = 1e-5
"""Absolute and relative; the inputs make right results exact, or rounded once to FP32."""
_LONGEST: Final = 160


class ProbeFailedError(Exception):
    """The form does not give right numbers.

    Args:
        status: ``ACTIVE`` if it failed as the limit is known to, else ``OTHER``.
        evidence: one line.
    """

    def __init__(self, status: str, evidence: str) -> None:
        super().__init__(evidence)
        self.status = status
        self.rule = status.lower()
        """What a case that expects the failure calls it: ``active`` or ``other``."""


def build(probe: Probe) -> Callable[..., None]:
    """Makes a probe's kernel.

    Raises:
        ProbeFailedError: PyPTO refuses even that.
    """
    from bsa._pypto import load

    pypto = load()
    try:
        return probe.build(pypto)
    except Exception as error:
        raise _failure(probe, f"{type(error).__name__}: {error}") from error


def launch(probe: Probe, kernel: Callable[..., None], inputs: Sequence[torch.Tensor]) -> torch.Tensor:
    """Runs a probe's kernel once, in this process, in the simulator.

    Args:
        probe: the probe.
        kernel: made by :func:`build`.
        inputs: its input tensors.

    Returns:
        The output; it is right.

    Raises:
        ProbeFailedError: it failed, or its numbers are wrong.
    """
    from bsa._pypto import KernelError, simulate

    output = empty_output(probe, inputs)
    try:
        with simulate(capture=False):
            kernel(*inputs, output)
    except KernelError as error:
        raise _failure(probe, f"{error.reason}\n{error.masked_by}") from error
    except Exception as error:
        raise _failure(probe, f"{type(error).__name__}: {error}") from error
    if problem := difference(output, probe.answer(*inputs)):
        raise ProbeFailedError(OTHER if probe.signature else ACTIVE, problem)
    return output


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


def _failure(probe: Probe, text: str) -> ProbeFailedError:
    """ACTIVE with the line of the text that the signature fits, or OTHER with the first line that says anything."""
    lines = [line.strip() for line in text.splitlines()]
    if probe.signature:
        for line in lines:
            if re.search(probe.signature, line):
                return ProbeFailedError(ACTIVE, _tidy(line))
    telling = [line for line in lines if line and "Errcode" not in line] or lines
    return ProbeFailedError(OTHER, _tidy(telling[0]))


def _tidy(line: str) -> str:
    """Without addresses, places of this machine and numbers of records."""
    line = re.sub(r"/\*.*?\*/|/\*.*|, func \w+, file .*", "", line)
    line = re.sub(r"^(\d+, )+", "", line)
    return re.sub(r"0x[0-9a-f]+", "0x…", line).strip()[:_LONGEST]
