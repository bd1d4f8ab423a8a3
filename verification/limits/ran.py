"""Whether the tagged lines of a DUT ran, from what the records of a run say that its kernels executed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from verification.limits.tags import Use
from verification.record import Record
from verification.shadow.columns import KernelLines, kernel_lines

RAN, NOT_RUN, HOST = "ran", "not_run", "host"
"""A line of a kernel that some launch executed; one that was traced and never executed; one outside any kernel."""


@dataclass(frozen=True, kw_only=True)
class Lines:
    """What one run says of the kernels of one DUT."""

    run: str
    """Its id."""
    kernels: tuple[KernelLines, ...]

    def state(self, use: Use) -> str:
        """``RAN``, ``NOT_RUN`` or ``HOST``."""
        for kernel in self.kernels:
            if use.path.as_posix().endswith(f"/{kernel.file}") or use.path.as_posix() == kernel.file:
                if use.line in kernel.executed:
                    return RAN
                return NOT_RUN if use.line in kernel.traced else HOST
        return HOST


def lines_of(run: str, records: Iterable[Record], digests: Mapping[str, str]) -> dict[str, Lines]:
    """What a run says of the DUTs that it ran with the kernels as they are now.

    Args:
        run: its id.
        records: of the run.
        digests: of the kernels as they are, by DUT; line numbers of other sources mean nothing.
    """
    mine: dict[str, list[Record]] = {}
    for record in records:
        dut = str(record.case["dut"])
        if record.measurement.control_flow and record.kernel_digest == digests.get(dut):
            mine.setdefault(dut, []).append(record)
    return {dut: Lines(run=run, kernels=tuple(kernel_lines(found))) for dut, found in mine.items()}
