"""The DUT protocol: what a kernel's binding tells the environment, and nothing about any particular kernel."""

from __future__ import annotations

import importlib
import traceback
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from bsa.messages import text
from stimuli.case import Case
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from verification.user_cases import user_suites

if TYPE_CHECKING:
    import torch

    from verification.explain import Dataflow

ENTRY_POINT_GROUP = "verification.duts"


@dataclass(frozen=True, kw_only=True)
class OutputSpec:
    """How one output of a DUT is judged."""

    name: str
    dtype: str
    """``float16``, ``bfloat16`` or ``float32``; the literal ``input`` = the dtype of the case."""
    kind: str = "tensor"
    """``tensor`` = the five rules; ``lse`` = the LSE rule."""
    dims: tuple[str, ...] = ()
    """What each axis is, for locations: ``b``, ``h``, ``row``, ``kv_row`` (a key's), ``t`` (packed tokens), ``d``."""
    k: float = 2.0
    """Factor on the same-precision reference's error: 2 for outputs, 3 for gradients."""


@dataclass(frozen=True, kw_only=True)
class References:
    """Right answers for one call, computed apart from the DUT."""

    gold: Mapping[str, torch.Tensor]
    """float64, by output name."""
    same: Mapping[str, torch.Tensor]
    """The same-precision reference ``pt``, by output name, in the output's dtype."""
    row_block: int = 0
    """Rows of a block, for locations and heat-maps; 0 = not blocked."""
    kv_block: int = 0
    """The same of outputs whose rows are ``kv_row``."""
    zeros: Mapping[str, torch.Tensor] = field(default_factory=dict)
    """Rows that the semantics define as exactly zero, by output name: bool, the output's shape without its axis ``d``.
    Outputs without an entry: rows that are zero in gold and in ``same``; not enough where an answer cancels, as dQ."""
    noise: Mapping[str, float] = field(default_factory=dict)
    """Absolute error that FP32 arithmetic may leave in an element whose answer cancels, by output name; 0 if absent."""
    exact: bool = False
    """The answer has no rounding at all (regime ``exact``): zero tolerance."""


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """What a case will need, estimated before it runs."""

    bytes: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Call:
    """What a DUT is told about how to run."""

    run_mode: str = "sim"
    pass_filter: str = "none"
    """Interpreter per compile pass: ``none`` (tensor graph only), ``default`` or ``all``."""
    fault: str = ""
    """A fault planted on purpose (:mod:`verification.faults`); empty = none."""
    explain: bool = False
    """Whether the launches are held against the DUT's dataflow, statement by statement."""


@runtime_checkable
class Dut(Protocol):
    """A device under test: one kernel with its host wrapper, its references and its space."""

    name: str

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """How the outputs of a case are judged, in the order of the report."""
        ...

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the case's program, in order; a later one may edit storage of an earlier one in place."""
        ...

    def references(self, stimulus: Stimulus) -> References:
        """Right answers for one call."""
        ...

    def call(self, stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
        """Runs the kernel. Raises whatever the wrapper raises."""
        ...

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """Estimate, without making a tensor."""
        ...

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """Whether this call has any work for the kernel (all-empty inputs have none)."""
        ...

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, Any]:
        """Derived facts for the record and coverage."""
        ...

    def kernel_sources(self) -> tuple[str, ...]:
        """Paths of the files whose text decides what the kernel does, for the record's digest."""
        ...

    def suites(self) -> tuple[SuiteSpec, ...]:
        """The suites this DUT declares."""
        ...


@runtime_checkable
class Explainable(Dut, Protocol):
    """A DUT that says what the variables of its kernel should hold: optional, for ``replay --explain``."""

    def dataflow(self, stimulus: Stimulus) -> Dataflow:
        """What the variables should hold, by name, for one call.

        From the inputs of the call alone: what is taken from the kernel's own tables repeats its faults.

        Args:
            stimulus: the call.
        """
        ...


def waits(dut: Dut) -> bool:
    """Whether a DUT's wrapper says (attribute ``waits``) that it waits for the device before and after each launch.

    Cases in sim then run under the check of that order (limit 13): what a card would show as a race fails there.
    """
    return bool(getattr(dut, "waits", False))


class Duts(dict[str, Dut]):
    """The DUTs that can be used, by name.

    Args:
        found: them.
        broken: why others cannot be used, by name, one line each; kept, and added to by :meth:`all_suites`.
    """

    def __init__(self, found: Mapping[str, Dut] | None = None, broken: dict[str, str] | None = None) -> None:
        super().__init__(found or {})
        self.broken: dict[str, str] = {} if broken is None else broken

    def only(self, names: Collection[str]) -> Duts:
        """Those of the names that can be used; what is found out to be broken is known to both."""
        return Duts({name: self[name] for name in names if name in self}, self.broken)

    def absent(self, name: str) -> str:
        """Why a DUT, found as it is, has nothing to run here (its attribute ``absent``, if it has one), or nothing."""
        return str(getattr(self.get(name), "absent", ""))

    def all_suites(self) -> list[tuple[str, SuiteSpec]]:
        """(suite's name, its part of one DUT) of every DUT; one that cannot say is set aside as broken.

        The user's own cases follow, as more of suite ``field``.

        Raises:
            UsageError: the user's own cases cannot be read.
        """
        found: list[tuple[str, SuiteSpec]] = []
        for name, dut in list(self.items()):
            try:
                found += [(spec.name, spec) for spec in dut.suites()]
            except Exception as error:  # noqa: BLE001 - a foreign module may raise anything
                words = {"why": _one_line(error), "place": _place(error)}
                self.broken[name] = text("error.dut.suites", name=name, **words)
                del self[name]
        return found + user_suites(self)


def find_duts() -> Duts:
    """Every DUT that an installed distribution declares, by name; those that cannot be used, with the reason."""
    points = list(entry_points(group=ENTRY_POINT_GROUP))
    declared = Counter(point.name for point in points)
    found = Duts()
    for point in points:
        if declared[point.name] > 1:
            found.broken[point.name] = text("error.dut.twice", name=point.name)
            continue
        try:
            dut = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a foreign module may raise anything
            found.broken[point.name] = text(
                "error.dut.import", name=point.name, value=point.value, why=_one_line(error), place=_place(error)
            )
            continue
        if not isinstance(dut, Dut):
            found.broken[point.name] = text("error.dut.protocol", name=point.name, value=point.value)
        elif dut.name != point.name:
            found.broken[point.name] = text("error.dut.other_name", name=point.name, found=dut.name)
        else:
            found[point.name] = dut
    return found


def _one_line(error: BaseException) -> str:
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(f"{type(error).__name__}: {said}".split())


def _place(error: BaseException) -> str:
    """`` (file:line)`` of the statement that failed, or nothing where no file of the DUT's was reached."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}:{error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _of_import(frame.filename)]
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""


def _of_import(filename: str) -> bool:
    """Whether a frame belongs to the machinery of imports, or to this module."""
    return filename.startswith("<frozen importlib") or filename in (__file__, importlib.__file__, metadata.__file__)
