"""The DUT protocol: what a kernel's binding tells the environment, and nothing about any particular kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from stimuli.case import Case
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec

if TYPE_CHECKING:
    import torch

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


def find_duts() -> dict[str, Dut]:
    """Every DUT that an installed distribution declares, by name.

    Raises:
        TypeError: an entry point does not give an object with the protocol's members.
        ValueError: two distributions declare the same name, or an entry point's name is not its DUT's.
    """
    found: dict[str, Dut] = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        dut = point.load()
        if not isinstance(dut, Dut):
            raise TypeError(
                f"entry point {point.name!r} ({point.value}) is not a DUT: it lacks members of the protocol"
            )
        if dut.name != point.name:
            raise ValueError(f"entry point {point.name!r} gives a DUT that calls itself {dut.name!r}")
        if point.name in found:
            raise ValueError(f"DUT {point.name!r} is declared twice")
        found[point.name] = dut
    return found
