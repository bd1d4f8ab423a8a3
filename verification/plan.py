"""The plan: what a run should execute. Written once, before the first case."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from bsa.messages import text
from stimuli.case import MODES, Case
from verification.drafts import draft_of
from verification.known.entry import KnownFailure

SCHEMA = 1
PLAN_FILE = "plan.json"


@dataclass(frozen=True, kw_only=True)
class PlanEntry:
    """One case of a plan."""

    case: Case
    suites: tuple[str, ...]
    """Every selected suite that holds the case."""
    gates: tuple[str, ...] = ()
    """Additional gates, the union over those suites."""

    @property
    def case_id(self) -> str:
        """Identity of the case."""
        return self.case.id


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one case may use."""

    seconds: float = 600.0
    """Wall time of one attempt."""
    bytes: int = 8 << 30
    """Resident memory of the child and its children, together."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What should run, and how."""

    run_id: str
    created: str
    """ISO 8601, UTC."""
    command: tuple[str, ...]
    """The command line, without the program's path."""
    run_mode: str
    backend: str
    pass_filter: str
    """Interpreter per compile pass: ``none``, ``default`` or ``all``."""
    budget: Budget
    entries: tuple[PlanEntry, ...]
    selection: Mapping[str, Any] = field(default_factory=dict)
    """What the user asked for: suites, DUTs, case names."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the backend, for example the declared behaviours of ``fake``."""
    sequence: int = 0
    """Greater than that of every run beside it when it was made: tells the newest, whatever the clock does."""
    known: tuple[KnownFailure, ...] = ()
    """The ledger of known failures when the run was planned."""
    fault: str = ""
    """A fault planted on purpose (:mod:`verification.faults`); such a run can sign nothing off."""
    explain: bool = False
    """Whether kernels are held against what each of their variables should be (:mod:`verification.explain`)."""
    schema: int = SCHEMA

    def entry(self, case_id: str) -> PlanEntry:
        """The entry of one case.

        Raises:
            KeyError: the plan holds no such case.
        """
        for entry in self.entries:
            if entry.case_id == case_id:
                return entry
        raise KeyError(case_id)

    def to_text(self) -> str:
        """The plan as JSON text."""
        data = asdict(self)
        data["entries"] = [
            {"case_id": e.case_id, "case": e.case.to_json(), "suites": e.suites, "gates": e.gates} for e in self.entries
        ]
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_text(cls, content: str) -> Plan:
        """The inverse of :meth:`to_text`.

        Raises:
            ValueError: not a plan, another schema, or an entry whose id is not its content's.
        """
        try:
            data = json.loads(content)
        except RecursionError as error:
            raise ValueError("not a plan: nested too deeply") from error
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"plan schema: {data.get('schema') if isinstance(data, dict) else data!r} is not {SCHEMA}")
        for name in ("entries", "command", "known"):
            if not isinstance(data.get(name, []), list):
                raise ValueError(f"not a plan: {name}: {data[name]!r} is no list")  # noqa: TRY004 - of the file
        try:
            entries = tuple(_entry(item) for item in data.pop("entries"))
            budget = Budget(**data.pop("budget"))
            data["command"] = tuple(data["command"])
            data["known"] = tuple(KnownFailure(**one) for one in data.get("known", ()))
            plan = cls(entries=entries, budget=budget, **data)
            _check_types(plan)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not a plan: {type(error).__name__}: {error}") from error
        return plan


_KINDS: Mapping[Any, type | tuple[type, ...]] = {
    str: str,
    int: int,
    float: (int, float),
    bool: bool,
    tuple: tuple,
    Mapping: Mapping,
}


def _check_types(plan: Plan) -> None:
    """What was read is what :class:`Plan` says.

    Raises:
        TypeError: a field is of another kind.
        ValueError: the run mode is none.
    """
    for one in (plan, plan.budget, *plan.known):
        for name, hint in get_type_hints(type(one)).items():
            kind, value = _KINDS.get(get_origin(hint) or hint, object), getattr(one, name)
            if not isinstance(value, kind) or (isinstance(value, bool) and hint is not bool):
                raise TypeError(f"{name}: {value!r} is not of type {hint}")
    if not all(isinstance(word, str) for word in plan.command):
        raise TypeError(f"command: {plan.command!r} are not words")
    if plan.run_mode not in MODES:
        raise ValueError(f"run_mode: {plan.run_mode!r} is none of {', '.join(MODES)}")


def write_plan(folder: Path, plan: Plan) -> None:
    """Writes a run's plan, whole or not at all.

    Args:
        folder: the run's folder; exists.
        plan: what should run.

    Raises:
        FileExistsError: the folder holds a plan already.
        OSError: the folder cannot be written.
    """
    target = folder / PLAN_FILE
    with draft_of(target, plan.to_text()) as draft:
        try:
            os.link(draft, target)
        except FileNotFoundError:  # whoever was first takes a draft for one that was left behind
            if target.exists():
                raise FileExistsError(target) from None
            raise


def read_plan(folder: Path) -> Plan:
    """The plan of a run's folder.

    Raises:
        FileNotFoundError: the folder holds no plan.
        ValueError: the file is not a plan of this version.
    """
    path = folder / PLAN_FILE
    try:
        return Plan.from_text(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(text("error.unreadable", path=path, why=error)) from error


def merge_entries(entries: Iterable[PlanEntry]) -> tuple[PlanEntry, ...]:
    """Entries with each case once, in order of first appearance, suites and gates united.

    Raises:
        ValueError: two entries hold one id with different metadata that decides a verdict (``expect``).
    """
    merged: dict[str, PlanEntry] = {}
    for entry in entries:
        known = merged.get(entry.case_id)
        if known is None:
            merged[entry.case_id] = entry
            continue
        if known.case.expect != entry.case.expect:
            raise ValueError(
                f"case {entry.case_id} ({known.case.name} and {entry.case.name}): expect is {known.case.expect!r} "
                f"in one suite and {entry.case.expect!r} in another"
            )
        merged[entry.case_id] = PlanEntry(
            case=known.case, suites=_union(known.suites, entry.suites), gates=_union(known.gates, entry.gates)
        )
    return tuple(merged.values())


def _union(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(left + right))


def _entry(item: Mapping[str, Any]) -> PlanEntry:
    case = Case.from_json(item["case"])
    if case.id != item["case_id"]:
        raise ValueError(f"plan entry {item['case_id']}: the content of the case gives the id {case.id}")
    return PlanEntry(case=case, suites=tuple(item["suites"]), gates=tuple(item["gates"]))
