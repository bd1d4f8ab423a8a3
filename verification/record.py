"""The record: everything observed in one attempt at one case.

A record is written once and never edited; reports and coverage are pure functions of records and the plan
(design, section 4, rule 1). This module holds the data only.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from verification.compact import packed, unpacked, with_ran

SCHEMA = 1

PASS = "PASS"
FAIL = "FAIL"
FLAKY = "FLAKY"
CRASH = "CRASH"
TIMEOUT = "TIMEOUT"
MEMORY = "MEMORY"
INFRA = "INFRA"
NOT_RUN = "NOT_RUN"
NO_REFERENCE = "NO_REFERENCE"
KNOWN = "KNOWN"
VERDICTS = (PASS, FAIL, FLAKY, CRASH, TIMEOUT, MEMORY, INFRA, NOT_RUN, NO_REFERENCE, KNOWN)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One rule of the criterion applied to one output tensor."""

    rule: str
    """``form``, ``structure``, ``maximum``, ``row``, ``head``, ``small``, ``lse``, ``exact``, ``published`` or a
    standard's name, ``integrity:<what>``, ``relation:<name>`` of a property."""
    passed: bool
    value: float
    """What was measured, in the rule's own unit (an error, a count)."""
    limit: float
    """What the rule allows, in the same unit."""
    ratio: float
    """value / limit, of the worst element or row; over 1 means failed, inf where the limit is zero."""
    detail: str = ""
    """One line for a reader when the check failed; empty otherwise."""


@dataclass(frozen=True, kw_only=True)
class WorstElement:
    """One element that is far off."""

    index: tuple[int, ...]
    found: float
    expected: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Location:
    """Where an output differs from the reference, in the words of the kernel's author."""

    text: str
    """For example ``b=0 h=2 query block 1 rows 44..63 (296 of 4096 elements)``."""
    count: int
    """Number of elements beyond the limit."""
    total: int
    worst: tuple[WorstElement, ...] = ()
    heatmap: tuple[tuple[float, ...], ...] = ()
    """Error ÷ limit, pooled by maximum: rows = (b, h) pairs, columns = row blocks; at most 64×64."""
    heatmap_axes: tuple[str, str] = ("", "")
    ratio_fit: float | None = None
    """Least-squares found ÷ expected, where one number explains the error (a lost or doubled scale, a log base)."""
    cause: str = ""
    """What the pattern of errors looks like (``all of batch 1 is wrong``); empty if nothing fits."""
    suspects: tuple[str, ...] = ()
    """Lines of the DUT's sources to look at first, ``FWD/impl.py:12: text`` (:mod:`verification.suspects`)."""


@dataclass(frozen=True, kw_only=True)
class Standard:
    """Another project's standard applied to the same output, for comparison only."""

    name: str
    passed: bool
    ratio: float


@dataclass(frozen=True, kw_only=True)
class OutputResult:
    """One output tensor compared with its references."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    passed: bool
    max_error: float
    """max|a - gold| over elements where both are finite."""
    checks: tuple[Check, ...]
    standards: tuple[Standard, ...] = ()
    location: Location | None = None
    digest: str = ""
    """sha256 of the output's bytes."""

    @property
    def ratio(self) -> float:
        """Error ÷ limit: the largest ratio of this output's checks."""
        return worst(check.ratio for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What the backend measured while it ran the case. None = not observed on this backend."""

    wall_s: float | None = None
    cpu_s: float | None = None
    """User + system, children included."""
    compile_s: float | None = None
    interpret_s: float | None = None
    model_s: float | None = None
    peak_bytes: int | None = None
    model_us: float | None = None
    """End-to-end simulated time, an estimate: (max execEnd - min execStart) / 1800."""
    utilisation: float | None = None
    tasks: int | None = None
    """Kernel tasks that were executed."""
    paths: tuple[str, ...] = ()
    """Compiled control-flow paths that were executed."""
    compiled: tuple[str, ...] = ()
    """All control-flow paths that were compiled."""
    ops: Mapping[str, int] = field(default_factory=dict)
    stages: tuple[str, ...] = ()
    """Stages that really ran: ``parse``, ``passes``, ``interpreter``, ``codegen``, ``cost-model``, ``device``."""
    pass_filter: str = "none"
    passes: Mapping[str, str] = field(default_factory=dict)
    """By compile pass after which the interpreter ran: how its outputs differ from the tensor graph's; empty = not."""
    executed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Kernel files, each from the folder it is imported from. Lines (``3, 7-9``): ``traced`` = visited by some path of
    the trace, ``helped`` = those of them in ordinary functions, which Python runs while it traces, ``compiled`` =
    visited by a path that PyPTO compiled. Pairs of lines (``3>7>8``): ``arcs`` = executed one after the other, as
    coverage.py has them, ``arms`` = ways on where several were traced, ``compiled_arms`` = those of compiled paths."""
    control_flow: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    """Paths through the body of each loop, by unroll factor: PyPTO's numbers of those ``traced``, ``compiled`` and
    ``executed`` (``0-2``)."""
    trips: Mapping[str, Any] = field(default_factory=dict)
    """Numbers of iterations that occurred, by loop."""
    findings: tuple[Mapping[str, Any], ...] = ()
    """What the tile sanitizer found (:class:`verification.sanitizer.Finding`), excused findings included."""
    not_replayed: str = ""
    """Why a launch could not be replayed, so that its lines and findings are missing; empty if all were."""
    ran: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Files that were loaded, each with its text's digest and the lines that ran (:mod:`verification.changes.ran`);
    empty where nobody watched. In JSON by folder and name, each as one text: the digest, a space, the lines."""
    explained: tuple[Mapping[str, Any], ...] = ()
    """Per launch how it compares with what its variables should be (:class:`verification.explain.Explanation`)."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One attempt at one case."""

    run_id: str
    case_id: str
    attempt: int
    """1, 2, …"""
    case: Mapping[str, Any]
    """The whole case as JSON."""
    suites: tuple[str, ...]
    backend: str
    run_mode: str
    verdict: str
    reason: str
    """One line; empty for a PASS."""
    started: str
    """ISO 8601, UTC."""
    finished: str
    replay: str
    """The command that runs this case again."""
    synthetic: bool = False
    """From a backend that declares its behaviour: can sign nothing off."""
    outputs: tuple[OutputResult, ...] = ()
    integrity: tuple[Check, ...] = ()
    """Checks on the run itself: inputs unchanged, storage its own, kernel tasks ran, log left."""
    input_digests: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Derived facts of the stimulus, for example ``multi_block`` or ``selected_blocks``."""
    kernel_digest: str = ""
    """sha256 of the kernel's source."""
    measurement: Measurement = field(default_factory=Measurement)
    signal: int | None = None
    exit_code: int | None = None
    stderr_tail: str = ""
    artefacts: str = ""
    """Folder kept after a failure, relative to the run's folder; empty if none."""
    schema: int = SCHEMA

    @property
    def ratio(self) -> float:
        """Error ÷ limit: the largest over the outputs."""
        return worst(output.ratio for output in self.outputs)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; non-finite floats become the strings ``nan``, ``inf``, ``-inf``."""
        plain = _plain(dataclasses.asdict(self))
        if not isinstance(plain, dict):
            raise TypeError(f"a record is a mapping, got {type(plain).__name__}")
        return with_ran(plain, packed)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Record:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: the schema is not the one this version reads, or a field is missing or unknown, or the verdict.
        """
        if data.get("schema") != SCHEMA:
            raise ValueError(f"schema: {data.get('schema')!r} is not {SCHEMA}, the one this version reads")
        record = _build(cls, with_ran(data, unpacked))
        if not isinstance(record, cls):
            raise TypeError("a record was expected")
        if record.verdict not in VERDICTS:
            raise ValueError(f"verdict: {record.verdict!r} is none of {', '.join(VERDICTS)}")
        return record


def worst(values: Iterable[float]) -> float:
    """The largest value, a NaN counting as worse than anything; 0 if there is none.

    ``max`` alone lets a NaN win or lose by its position.
    """
    found = list(values)
    if any(math.isnan(value) for value in found):
        return math.nan
    return max(found, default=0.0)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0.0:
        return "nan" if value != value else ("inf" if value > 0 else "-inf")  # noqa: PLR0124 - NaN test
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Types of the fields of a class; a run has thousands of objects of each."""
    return typing.get_type_hints(kind)


def _build(kind: Any, value: Any) -> Any:  # noqa: PLR0911 - one return per kind of annotation
    if kind is float:
        return float(value)
    if isinstance(kind, types.UnionType):
        if value is None:
            return None
        return _build(next(arg for arg in typing.get_args(kind) if arg is not type(None)), value)
    if typing.get_origin(kind) is tuple:
        inner = typing.get_args(kind)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_build(inner[0], item) for item in value)
        return tuple(_build(one, item) for one, item in zip(inner, value, strict=True))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        unknown = set(value) - set(hints)
        if unknown:
            raise ValueError(f"{kind.__name__}: unknown fields {sorted(unknown)}")
        try:
            return kind(**{name: _build(hints[name], item) for name, item in value.items()})
        except TypeError as error:
            raise ValueError(f"{kind.__name__}: {error}") from error
    return value
