"""Other projects' standards applied to the same outputs: who would have accepted what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reports.numbers import badness
from reports.row import Row
from verification.record import OutputResult, Standard


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What one standard says about one output of one DUT, over all cases."""

    dut: str
    output: str
    standard: str
    accepted: int
    total: int
    stricter: tuple[Row, ...]
    """Cases whose output our criterion passes and this standard rejects."""
    laxer: tuple[Row, ...]
    """Cases whose output our criterion fails and this standard accepts."""
    worst: Row
    """The case with the largest ratio."""
    ratio: float
    """That ratio."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """What one standard says about every output."""

    standard: str
    opinions: Mapping[tuple[str, str], Opinion]
    """By (DUT, output)."""

    @property
    def stricter(self) -> tuple[Row, ...]:
        """Cases with an output that this standard rejects and our criterion passes, each once."""
        return _once(row for one in self.opinions.values() for row in one.stricter)

    @property
    def laxer(self) -> tuple[Row, ...]:
        """Cases with an output that this standard accepts and our criterion fails, each once."""
        return _once(row for one in self.opinions.values() for row in one.laxer)

    @property
    def worst(self) -> Opinion:
        """The opinion with the largest ratio."""
        return max(self.opinions.values(), key=lambda one: badness(one.ratio))


def panels(found: Iterable[Opinion]) -> tuple[Panel, ...]:
    """Opinions by standard, in order of first appearance."""
    grouped: dict[str, dict[tuple[str, str], Opinion]] = {}
    for one in found:
        grouped.setdefault(one.standard, {})[one.dut, one.output] = one
    return tuple(Panel(standard=standard, opinions=by_output) for standard, by_output in grouped.items())


def _once(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple({row.case_id: row for row in rows}.values())


def opinions(rows: Iterable[Row]) -> tuple[Opinion, ...]:
    """One opinion for each (DUT, output, standard), in order of first appearance."""
    grouped: dict[tuple[str, str, str], list[tuple[Row, OutputResult, Standard]]] = {}
    for row in rows:
        for output in row.outputs:
            for standard in output.standards:
                grouped.setdefault((row.dut, output.name, standard.name), []).append((row, output, standard))
    return tuple(_opinion(key, found) for key, found in grouped.items())


def _opinion(key: tuple[str, str, str], found: list[tuple[Row, OutputResult, Standard]]) -> Opinion:
    worst_row, _, worst = max(found, key=lambda item: badness(item[2].ratio))
    return Opinion(
        dut=key[0],
        output=key[1],
        standard=key[2],
        accepted=sum(standard.passed for _, _, standard in found),
        total=len(found),
        stricter=tuple(row for row, output, standard in found if output.passed and not standard.passed),
        laxer=tuple(row for row, output, standard in found if standard.passed and not output.passed),
        worst=worst_row,
        ratio=worst.ratio,
    )
