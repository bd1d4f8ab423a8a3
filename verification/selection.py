"""From what the user asks for to the entries of a plan."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from bsa.messages import text
from stimuli.case import Case
from stimuli.suite import SuiteSpec
from verification.dut import Dut, Duts
from verification.errors import EnvironmentMissingError, UsageError
from verification.plan import PlanEntry, merge_entries

SHORTEST_ID = 4
"""Digits of an id that are enough to name a case, if only one fits."""
SHOWN = 6
"""Cases that an ambiguous name lists."""
DEFAULT_SUITES = ("faults", "field", "limits", "properties", "published", "pairwise")
"""What ``bsa-verify run`` runs when no suite is named: what fails likeliest and cheapest goes first. It should end
within 15 minutes on two cores; what a case may cost is declared in :mod:`stimuli.space.capacity`."""


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
        suites: names of suites, one without an end also with a number of cases (``soak:1000``); none =
            ``DEFAULT_SUITES`` and, of a DUT named in ``dut_names`` that declares none of these, all it declares but
            nightly ones; every suite if ``cases`` names cases.
        dut_names: names of DUTs; none = all.
        cases: names (with or without their suite's prefix), ids, or aliases such as ``quick``, each also after its
            DUT's name and a colon; none = all. A name that several DUTs have selects all of them.

    Raises:
        UsageError: a name fits nothing, or nothing is left.
        EnvironmentMissingError: a DUT that is named cannot be used.
    """
    chosen = _chosen(duts, dut_names)
    specs = chosen.all_suites()
    _refuse_broken(chosen, dut_names)
    names = sorted({name for name, _ in specs})
    asked = dict(_counted(word) for word in suites)
    unasked = names if cases else _default(chosen, dut_names)
    wanted = list(_known("--suite", tuple(asked), names)) if suites else unasked
    picked = [_first(spec, asked.get(suite)) for suite in wanted for name, spec in specs if name == suite]
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
    for name, spec in _with_broken(duts).all_suites():
        found.setdefault(name, []).append(spec)
    return found


def find_case(duts: Mapping[str, Dut], name: str, *, dut_names: Sequence[str] = ()) -> PlanEntry:
    """One case by id (or the start of one) or name, with all its suites and gates.

    Args:
        duts: every DUT there is.
        name: what the user gave; also after its DUT's name and a colon.
        dut_names: names of DUTs; none = all.

    Raises:
        UsageError: nothing fits, or several do.
        EnvironmentMissingError: the DUT that is named cannot be used, or nothing fits and some DUT cannot be used.
    """
    chosen = _chosen(duts, dut_names)
    specs = [spec for _, spec in chosen.all_suites()]
    _refuse_broken(chosen, [*dut_names, name.partition(":")[0]])
    entries = merge_entries(
        PlanEntry(case=case, suites=(spec.name,), gates=tuple(spec.gates)) for spec in specs for case in spec.cases
    )
    return one_case(entries, name, broken=() if dut_names else chosen.broken.values())


def one_case(entries: Sequence[PlanEntry], name: str, *, broken: Collection[str] = ()) -> PlanEntry:
    """The one entry that a name, an id or the start of one fits.

    Args:
        entries: those to choose from.
        name: what the user gave.
        broken: why DUTs that could have the case cannot be used.

    Raises:
        UsageError: nothing fits, or several do; the message names them.
        EnvironmentMissingError: nothing fits, and some DUT cannot be used.
    """
    fitting = [entry for entry in entries if name in case_names(entry.case)]
    if not fitting and len(name) >= SHORTEST_ID:
        fitting = [entry for entry in entries if entry.case_id.startswith(name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        found = ", ".join(f"'{entry.case.dut}:{entry.case.label}' {entry.case_id}" for entry in fitting[:SHOWN])
        more = f", … {len(fitting) - SHOWN}" if len(fitting) > SHOWN else ""
        raise UsageError(text("error.several_cases", name=name, count=len(fitting), found=found + more))
    if broken:
        raise EnvironmentMissingError(text("error.no_case_broken", name=name, broken="; ".join(broken)))
    known = sorted({one for entry in entries for one in case_names(entry.case)})
    hint = nearest(name, known)
    raise UnknownNameError(text("error.no_case", name=name, hint=hint), hint=hint)


class UnknownNameError(UsageError):
    """A name that fits nothing.

    Attributes:
        hint: what it may have meant, as :func:`nearest` says it.
    """

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion for a mistyped name: `` (did you mean 'x'?)``, or nothing."""
    lowered = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.5)
    return text("error.hint", name=lowered[close[0]]) if close else ""


def _default(duts: Duts, named: Sequence[str]) -> list[str]:
    """Names of the suites that are run where none is named."""
    declared = [duts[name].suites() for name in named]
    others = [specs for specs in declared if not any(spec.name in DEFAULT_SUITES for spec in specs)]
    return [*DEFAULT_SUITES, *dict.fromkeys(spec.name for specs in others for spec in specs if not spec.nightly)]


def _counted(word: str) -> tuple[str, int | None]:
    """A suite's name, and the number after its colon."""
    name, _, number = word.partition(":")
    return (name, int(number)) if re.fullmatch("[1-9][0-9]*", number) else (word, None)


def _first(spec: SuiteSpec, count: int | None) -> SuiteSpec:
    """A suite with as many cases as asked for, if a number was given."""
    if count is None:
        return spec
    if spec.first is None:
        raise UsageError(text("error.suite_ends", name=spec.name, count=len(spec.cases)))
    return replace(spec, cases=spec.first(count))


def _with_broken(duts: Mapping[str, Dut]) -> Duts:
    return duts if isinstance(duts, Duts) else Duts(duts)


def _chosen(duts: Mapping[str, Dut], names: Sequence[str]) -> Duts:
    """The DUTs of these names; all without any."""
    every = _with_broken(duts)
    return every.only(_known("--dut", names, {*every, *every.broken})) if names else every


def _refuse_broken(duts: Duts, names: Iterable[str]) -> None:
    """Says why a DUT that is named cannot be used."""
    for name in names:
        why = duts.broken.get(name) or duts.absent(name)
        if why:
            raise EnvironmentMissingError(why)


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
            for name in case_names(case):
                by_name.setdefault(name, set()).add(case.id)
        for alias, members in spec.aliases.items():
            for case in spec.cases:
                if case_names(case) & set(members):
                    by_name.setdefault(alias, set()).add(case.id)
                    by_name.setdefault(f"{case.dut}:{alias}", set()).add(case.id)
    found: set[str] = set()
    for name in cases:
        ids = by_name.get(name) or _ids_from(name, specs)
        if not ids:
            raise UsageError(text("error.no_case_of_suites", name=name, hint=nearest(name, by_name)))
        found |= ids
    return found


def _ids_from(start: str, specs: Sequence[SuiteSpec]) -> set[str]:
    """The id that begins so, if one does and it is long enough to tell; several are refused."""
    ids = {case.id for spec in specs for case in spec.cases if case.id.startswith(start)}
    if len(start) < SHORTEST_ID or not ids:
        return set()
    if len(ids) > 1:
        raise UsageError(text("error.several_cases", name=start, count=len(ids), found=", ".join(sorted(ids)[:SHOWN])))
    return ids


def case_names(case: Case) -> set[str]:
    """What a case answers to: its id, its name, its name without the suite's prefix; each also after ``DUT:``."""
    names = {case.id, case.name, case.name.split("/", 1)[-1]} - {""}
    return names | {f"{case.dut}:{name}" for name in names}
