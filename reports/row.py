"""One row of a report: a case of the plan with its verdict and the record that decided it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports.numbers import badness, number
from verification.plan import PlanEntry
from verification.record import PASS, Check, Measurement, OutputResult, Record, worst
from verification.verdicts import Final

NOTHING_MEASURED = Measurement()


@dataclass(frozen=True, kw_only=True)
class Row:
    """What every renderer needs about one case."""

    entry: PlanEntry
    final: Final
    attempts: tuple[Record, ...]
    """Every record of the case, by attempt."""
    run: str
    """The run's folder, as it was named."""

    @property
    def case_id(self) -> str:
        """Identity of the case."""
        return self.entry.case_id

    @property
    def name(self) -> str:
        """The case's name, or its id where it has none."""
        return self.entry.case.name or self.case_id

    @property
    def dut(self) -> str:
        """The device under test."""
        return self.entry.case.dut

    @property
    def verdict(self) -> str:
        """The verdict over all attempts."""
        return self.final.verdict

    @property
    def record(self) -> Record | None:
        """The attempt that decided."""
        return self.final.record

    @property
    def outputs(self) -> tuple[OutputResult, ...]:
        """The outputs that were judged."""
        return self.record.outputs if self.record else ()

    @property
    def measurement(self) -> Measurement:
        """What the backend measured; all None without a record."""
        return self.record.measurement if self.record else NOTHING_MEASURED

    @property
    def facts(self) -> Mapping[str, Any]:
        """Derived facts of the stimulus; empty without a record."""
        return self.record.facts if self.record else {}

    @property
    def multi_block(self) -> bool | None:
        """Whether several KV blocks take part; None = not known."""
        value = self.facts.get("multi_block")
        return value if isinstance(value, bool) else None

    @property
    def synthetic(self) -> bool:
        """Whether any attempt only declares its outcome."""
        return any(record.synthetic for record in self.attempts)

    @property
    def checks(self) -> tuple[tuple[str, Check], ...]:
        """Every check with the output it belongs to; integrity checks belong to no output."""
        if self.record is None:
            return ()
        on_outputs = tuple((output.name, check) for output in self.outputs for check in output.checks)
        return on_outputs + tuple(("", check) for check in self.record.integrity)

    @property
    def ratio(self) -> float | None:
        """Error ÷ limit over all outputs; NaN if one is NaN; None if nothing was compared."""
        if not any(output.checks for output in self.outputs):
            return None
        return worst(output.ratio for output in self.outputs)

    @property
    def worst_check(self) -> tuple[str, Check] | None:
        """The check on an output with the largest error ÷ limit; a failed one before any that passed."""
        on_outputs = [(output, check) for output, check in self.checks if output]
        return max(on_outputs, key=lambda pair: (not pair[1].passed, *badness(pair[1].ratio)), default=None)

    @property
    def failed_checks(self) -> tuple[tuple[str, Check], ...]:
        """The checks that failed, each with its output."""
        return tuple((output, check) for output, check in self.checks if not check.passed)

    @property
    def cause(self) -> str:
        """What the pattern of errors looks like, from the first output that has a word for it."""
        return next((o.location.cause for o in self.outputs if o.location and o.location.cause), "")

    @property
    def published_us(self) -> float | None:
        """Published device time of the same shape."""
        return number(self.facts.get("published_us"))

    @property
    def replay(self) -> str:
        """The command that runs this case again, or the run where it has not started."""
        if self.record is not None and self.record.replay:
            return self.record.replay
        return f"bsa-verify run --resume {shlex.quote(self.run)}"

    @property
    def passed(self) -> bool:
        """Whether the verdict is PASS."""
        return self.verdict == PASS

    def published_maximum(self, output: str) -> float | None:
        """The published maximum error of one output.

        ``facts["published"]`` maps names to numbers; ``max_LSE`` belongs to output ``lse``, and ``max_O`` to ``out``:
        the name after ``max_`` is the output's or its beginning, in any case of letters.
        """
        published = self.facts.get("published")
        if not isinstance(published, Mapping):
            return None
        wanted = output.lower()
        names = {str(key).lower().removeprefix("max_"): value for key, value in published.items()}
        fitting = [name for name in names if name and wanted.startswith(name)]
        return number(names[max(fitting, key=len)]) if fitting else None
