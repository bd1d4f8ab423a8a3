"""One launch of one probe: right numbers, or the way in which it failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from bsa._pypto import KernelError, load, simulate
from verification.limits.comparing import difference, empty_output
from verification.limits.limit import ACTIVE, OTHER, Probe

if TYPE_CHECKING:
    import torch

_LONGEST: Final = 160
_GRAPH: Final = ("func:", "<")
"""How lines begin in which PyPTO shows a part of its graph."""


class ProbeFailedError(KernelError):
    """The form does not give right numbers; a kernel's error, so that it passes through what unmasks such.

    Args:
        status: ``ACTIVE`` if it failed as the limit is known to, else ``OTHER``.
        evidence: one line.
    """

    def __init__(self, status: str, evidence: str) -> None:
        super().__init__(evidence)
        self.args = (evidence,)
        self.status = status
        self.rule = status.lower()
        """What a case that expects the failure calls it: ``active`` or ``other``."""


def build(probe: Probe) -> Callable[..., None]:
    """Makes a probe's kernel.

    Raises:
        ProbeFailedError: PyPTO refuses even that.
    """
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


def _failure(probe: Probe, text: str) -> ProbeFailedError:
    """ACTIVE with the line of the text that the signature fits, or OTHER with the first line that says anything."""
    lines = [line.strip() for line in text.splitlines()]
    if probe.signature:
        for line in lines:
            if re.search(probe.signature, line):
                return ProbeFailedError(ACTIVE, _tidy(line))
    telling = [line for line in lines if line and "Errcode" not in line and not line.startswith(_GRAPH)] or lines
    return ProbeFailedError(OTHER, _tidy(telling[0]))


def _tidy(line: str) -> str:
    """Without addresses, places of this machine and numbers of records."""
    line = re.sub(r"/\*.*?\*/|/\*.*|, func \w+, file .*", "", line)
    line = re.sub(r"^(\d+, )+", "", line)
    return re.sub(r"0x[0-9a-f]+", "0x…", line).strip()[:_LONGEST]
