"""Comparing two runs case by case: a pure function of their records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from bsa.messages import retell, text
from verification.record import KNOWN, PASS, Record
from verification.runs import Run
from verification.verdicts import FAILED, Final, final

WEAKER = 1.5
"""Error ÷ limit grown by this factor or more: weaker; shrunk by it: stronger."""
RATIO_FLOOR = 0.01
"""Below this error ÷ limit, changes are noise of an error that is next to nothing."""
TIME_CHANGE = 0.02
"""Relative change of simulated µs that is shown; the cost model is deterministic."""
MEMORY_CHANGE = 0.25
"""Relative change of peak memory that is shown."""
SHOWN = 5
"""Cases listed per heading."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """One case that differs between two runs."""

    case_id: str
    name: str
    before: str
    after: str
    factor: float
    """How large the change is, for sorting; at least 1."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What differs between run A and run B."""

    a: str
    b: str
    common: int
    new_fail: tuple[Change, ...]
    fixed: tuple[Change, ...]
    changed: tuple[Change, ...]
    """Other changes of verdict: to or from a known failure, or a case without a verdict."""
    weaker: tuple[Change, ...]
    stronger: tuple[Change, ...]
    model_us: tuple[Change, ...]
    peak_memory: tuple[Change, ...]
    only_a: int
    only_b: int
    inputs_differ: tuple[str, ...]
    """Cases whose input digests differ: never compared."""

    @property
    def worse(self) -> bool:
        """Whether a case newly fails or became weaker."""
        return bool(self.new_fail or self.weaker)

    def to_text(self) -> str:
        """One screen."""
        head = text("cli.compare.head", a=self.a, b=self.b, common=self.common, only_a=self.only_a, only_b=self.only_b)
        lines = [head]
        for name in ("new_fail", "fixed", "changed", "weaker", "stronger", "model_us", "peak_memory"):
            changes: tuple[Change, ...] = getattr(self, name)
            if changes:
                lines.append(text(f"cli.compare.{name}", count=len(changes)))
                lines += [f"    {change.name}: {change.before} -> {retell(change.after)}" for change in changes[:SHOWN]]
                if len(changes) > SHOWN:
                    lines.append(f"    … {len(changes) - SHOWN}")
        if self.inputs_differ:
            lines.append(text("cli.compare.inputs_differ", count=len(self.inputs_differ), first=self.inputs_differ[0]))
        if len(lines) == 1:
            lines.append(text("cli.compare.same" if self.common else "cli.compare.nothing"))
        return "\n".join(lines)


def compare_runs(a: Run, b: Run) -> Comparison:
    """Compares the verdicts and figures of the cases that both runs have.

    Args:
        a: the earlier run.
        b: the later run.
    """
    finals_a, finals_b = final(a.plan, a.records), final(b.plan, b.records)
    common = [case_id for case_id in finals_b if case_id in finals_a]
    differ = tuple(case_id for case_id in common if _inputs_differ(finals_a[case_id], finals_b[case_id]))
    several = len({entry.case.dut for entry in b.plan.entries}) > 1
    names = {entry.case_id: (f"{entry.case.dut}:" if several else "") + entry.case.label for entry in b.plan.entries}
    pairs = [(finals_a[i], finals_b[i], names[i]) for i in common if i not in differ]
    return Comparison(
        a=a.plan.run_id,
        b=b.plan.run_id,
        common=len(common),
        new_fail=tuple(_verdict_change(x, y, n) for x, y, n in pairs if _passes(x) and y.verdict in FAILED),
        fixed=tuple(_verdict_change(x, y, n) for x, y, n in pairs if x.verdict in FAILED and _passes(y)),
        changed=tuple(_verdict_change(x, y, n) for x, y, n in pairs if _changed_otherwise(x, y)),
        weaker=_ratio_changes(pairs, grown=True),
        stronger=_ratio_changes(pairs, grown=False),
        model_us=_figure_changes(pairs, lambda r: r.measurement.model_us, TIME_CHANGE, "{:.1f} µs"),
        peak_memory=_figure_changes(
            pairs,
            lambda r: None if r.measurement.peak_bytes is None else r.measurement.peak_bytes / 2**20,
            MEMORY_CHANGE,
            "{:.0f} MiB",
        ),
        only_a=len(finals_a) - len(common),
        only_b=len(finals_b) - len(common),
        inputs_differ=tuple(names[case_id] for case_id in differ),
    )


_Pair = tuple[Final, Final, str]


def _passes(one: Final) -> bool:
    return one.verdict in (PASS, KNOWN)


def _changed_otherwise(x: Final, y: Final) -> bool:
    """Whether the verdict changed, neither from passing to failed nor the other way round."""
    if x.verdict == y.verdict:
        return False
    return not (_passes(x) and y.verdict in FAILED) and not (x.verdict in FAILED and _passes(y))


def _inputs_differ(x: Final, y: Final) -> bool:
    if x.record is None or y.record is None or not x.record.input_digests or not y.record.input_digests:
        return False
    return dict(x.record.input_digests) != dict(y.record.input_digests)


def _verdict_change(x: Final, y: Final, name: str) -> Change:
    after = f"{y.verdict} {y.reason}".strip()
    return Change(case_id=y.case_id, name=name, before=x.verdict, after=after, factor=1.0)


def _ratio_changes(pairs: list[_Pair], *, grown: bool) -> tuple[Change, ...]:
    found = []
    for x, y, name in pairs:
        if x.record is None or y.record is None or not x.record.outputs or not y.record.outputs:
            continue
        before, after = x.record.ratio, y.record.ratio
        if _passes(x) != _passes(y):
            continue  # a new failure or a repair, and named as that
        big, small = (after, before) if grown else (before, after)
        if big >= RATIO_FLOOR and big >= WEAKER * small:
            factor = math.inf if small == 0 else big / small
            change = Change(case_id=y.case_id, name=name, before=f"{before:.3g}", after=f"{after:.3g}", factor=factor)
            found.append(change)
    return _largest_first(found)


def _figure_changes(
    pairs: list[_Pair], figure: Callable[[Record], float | None], threshold: float, form: str
) -> tuple[Change, ...]:
    found = []
    for x, y, name in pairs:
        before = figure(x.record) if x.record is not None else None
        after = figure(y.record) if y.record is not None else None
        if before and after and abs(after / before - 1) > threshold:
            text_after = f"{form.format(after)} ({after / before - 1:+.0%})"
            factor = max(after / before, before / after)
            found.append(
                Change(case_id=y.case_id, name=name, before=form.format(before), after=text_after, factor=factor)
            )
    return _largest_first(found)


def _largest_first(changes: list[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda change: -change.factor))
