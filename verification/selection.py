"""From what the user asks for to the entries of a plan."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from bsa.messages import text
from stimuli.case import Case
from stimuli.suite import SuiteSpec
from verification.dut import Dut
from verification.errors import UsageError
from verification.plan import PlanEntry, merge_entries

SHORTEST_ID = 4
"""Digits of an id that are enough to name a case, if only one fits."""
DEFAULT_SUITES = ("published", "faults")
"""What ``bsa-verify run`` runs when no suite is named."""


def select(
    duts: Mapping[str, Dut],
    *,
    run_mode: str,
    suites: Sequence[str] = (),
    dut_names: Sequence[str] = (),
    cases: Sequence[str] = (),
) -> tuple[PlanEntry, ...]:
    """The cases to run, each once, suites in the order asked for.

    Args:
        duts: every DUT there is.
        run_mode: cases that are not meant for it are left out.
        suites: names of suites; none = ``DEFAULT_SUITES``, or every suite if ``cases`` names cases.
        dut_names: names of DUTs; none = all.
        cases: names (with or without their suite's prefix), ids, or aliases such as ``quick``; none = all.

    Raises:
        UsageError: a name fits nothing, or nothing is left.
    """
    chosen = {name: duts[name] for name in _known("--dut", dut_names, duts)} if dut_names else dict(duts)
    specs = _specs(chosen)
    names = sorted({name for name, _ in specs})
    wanted = list(_known("--suite", suites, names)) if suites else (names if cases else list(DEFAULT_SUITES))
    picked = [spec for suite in wanted for name, spec in specs if name == suite]
    entries = [
        PlanEntry(case=case, suites=(spec.name,), gates=tuple(spec.gates))
        for spec in picked
        for case in spec.cases
        if run_mode in case.modes
    ]
    if cases:
        ids = _matching(cases, picked)
        entries = [entry for entry in entries if entry.case_id in ids]
    if not entries:
        key = "error.nothing_of_duts" if dut_names else "error.nothing_to_run"
        raise UsageError(text(key, suites=", ".join(wanted), mode=run_mode, duts=" ".join(dut_names)))
    return merge_entries(entries)


def all_suites(duts: Mapping[str, Dut]) -> dict[str, list[SuiteSpec]]:
    """Every suite by name, one part per DUT that declares it."""
    found: dict[str, list[SuiteSpec]] = {}
    for name, spec in _specs(duts):
        found.setdefault(name, []).append(spec)
    return found


def find_case(duts: Mapping[str, Dut], name: str) -> PlanEntry:
    """One case by id (or the start of one) or name, with all its suites and gates.

    Raises:
        UsageError: nothing fits, or several do.
    """
    specs = [spec for _, spec in _specs(duts)]
    entries = merge_entries(
        PlanEntry(case=case, suites=(spec.name,), gates=tuple(spec.gates)) for spec in specs for case in spec.cases
    )
    fitting = [entry for entry in entries if name in _names(entry.case)]
    if not fitting and len(name) >= SHORTEST_ID:
        fitting = [entry for entry in entries if entry.case_id.startswith(name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        found = ", ".join(f"{entry.case_id} ({entry.case.label})" for entry in fitting[:6])
        raise UsageError(text("error.several_cases", name=name, count=len(fitting), found=found))
    known = sorted({one for entry in entries for one in _names(entry.case)})
    raise UsageError(text("error.no_case", name=name, hint=nearest(name, known)))


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion for a mistyped name: `` (did you mean 'x'?)``, or nothing."""
    lowered = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.5)
    return text("error.hint", name=lowered[close[0]]) if close else ""


def _specs(duts: Mapping[str, Dut]) -> list[tuple[str, SuiteSpec]]:
    return [(spec.name, spec) for dut in duts.values() for spec in dut.suites()]


def _known(option: str, given: Sequence[str], known: Iterable[str]) -> Sequence[str]:
    names = sorted(known)
    for name in given:
        if name not in names:
            hint = nearest(name, names)
            raise UsageError(text("error.none_of", what=option, name=name, known=", ".join(names), hint=hint))
    return given


def _matching(cases: Sequence[str], specs: Sequence[SuiteSpec]) -> set[str]:
    by_name: dict[str, set[str]] = {}
    for spec in specs:
        for case in spec.cases:
            for name in _names(case):
                by_name.setdefault(name, set()).add(case.id)
        for alias, members in spec.aliases.items():
            ids = {case.id for case in spec.cases if _names(case) & set(members)}
            by_name.setdefault(alias, set()).update(ids)
    found: set[str] = set()
    for name in cases:
        if name not in by_name:
            raise UsageError(text("error.no_case_of_suites", name=name, hint=nearest(name, by_name)))
        found |= by_name[name]
    return found


def _names(case: Case) -> set[str]:
    """What a case answers to: its id, its name, its name without the suite's prefix."""
    return {case.id, case.name, case.name.split("/", 1)[-1]} - {""}
