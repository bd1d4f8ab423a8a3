"""What is kept of a replayed launch: small, plain data that a record can hold."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from verification.sanitizer import Finding, Sanitizer
from verification.shadow.crosscheck import Roots
from verification.shadow.expression import NotReplayableError
from verification.shadow.launch import Launched
from verification.shadow.lines import Lines
from verification.shadow.paths import Taken, paths
from verification.shadow.replay import replay
from verification.shadow.words import Arc, arcs_in_words, lines_in_words


@dataclass(frozen=True, kw_only=True)
class PathAccount:
    """One control-flow path of a trace."""

    loop: str
    unroll: int
    number: int
    functions: tuple[str, ...]
    """What PyPTO compiles for it; empty if it computes nothing itself."""
    lines: Mapping[str, list[int]]
    """Lines that it visits, by file."""
    arcs: Mapping[str, list[list[int]]]
    """Arcs between them, by file."""
    executed: bool

    def is_compiled(self, compiled: Collection[str]) -> bool:
        """Whether PyPTO compiled it, or had nothing to compile.

        Args:
            compiled: functions that PyPTO compiled in this launch; none = it did not get that far.
        """
        return bool(compiled) and (not self.functions or any(name in compiled for name in self.functions))


@dataclass(frozen=True, kw_only=True)
class Account:
    """One launch."""

    kernel: str
    roots: tuple[str, ...] = ()
    """Functions of paths that it called, in order."""
    helped: Mapping[str, list[int]] = field(default_factory=dict)
    """Lines of ordinary functions that ran in Python during the trace, by file."""
    arcs: Mapping[str, list[list[int]]] = field(default_factory=dict)
    """Arcs between lines that were executed, by file."""
    paths: tuple[PathAccount, ...] = ()
    """Every control-flow path that was traced."""
    trips: Mapping[str, list[int]] = field(default_factory=dict)
    """Numbers of iterations that occurred, by loop."""
    findings: tuple[Mapping[str, Any], ...] = ()
    """What the sanitizer found."""
    overlaps: tuple[Mapping[str, Any], ...] = ()
    """Pairs of writes to one region (:class:`verification.sanitizer.order.Overlap`)."""
    unknown: str = ""
    """Why the launch cannot be replayed; empty if it was."""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Account:
        """The inverse of :meth:`to_json`."""
        several = ("roots", "findings", "overlaps")
        paths = tuple(PathAccount(**{**one, "functions": tuple(one["functions"])}) for one in data["paths"])
        return cls(**{**data, **{name: tuple(data[name]) for name in several}, "paths": paths})


def account(launched: Launched) -> Account:
    """Replays a launch and keeps what it shows.

    Args:
        launched: as :func:`verification.shadow.record` gives it.
    """
    trace = launched.trace
    helped = {portable(file): sorted(lines) for file, lines in trace.helped().items()}
    roots, lines, taken, sanitizer = Roots(), Lines(), Taken(), Sanitizer()
    unknown = ""
    try:
        replay(launched, [roots, lines, taken, sanitizer])
    except NotReplayableError as error:
        unknown = str(error)
    known = Account(
        kernel=trace.kernel,
        helped=helped,
        unknown=unknown,
        paths=tuple(
            PathAccount(
                loop=path.loop.name,
                unroll=path.traversal.unroll,
                number=path.traversal.path,
                functions=path.functions,
                lines={portable(file): sorted(found) for file, found in path.visited.executed().items()},
                arcs=_arcs(path.visited),
                executed=not unknown and id(path.traversal) in taken.traversals,
            )
            for path in paths(trace)
        ),
    )
    if unknown:
        return known
    return replace(
        known,
        roots=tuple(roots.names),
        arcs=_arcs(lines),
        trips={name: sorted(counts) for name, counts in lines.trips.items()},
        findings=tuple(_portable(finding).to_json() for finding in sanitizer.findings),
        overlaps=tuple(replace(one, file=portable(one.file)).to_json() for one in sanitizer.overlaps),
    )


def _arcs(lines: Lines) -> dict[str, list[list[int]]]:
    return {portable(file): [list(arc) for arc in sorted(arcs)] for file, arcs in lines.arcs.items()}


def merged(accounts: Iterable[Account], compiled: Collection[str] = ()) -> dict[str, dict[str, str]]:
    """Lines and arcs of several launches together, by file, as :attr:`verification.record.Measurement.executed`.

    Args:
        accounts: the launches.
        compiled: functions that PyPTO compiled in them.
    """
    files: dict[str, _File] = {}
    for one in accounts:
        for path in one.paths:
            is_compiled = path.is_compiled(compiled)
            for file, lines in path.lines.items():
                seen = files.setdefault(file, _File())
                seen.traced.update(lines)
                seen.arms.update(_pairs(path.arcs.get(file, ())))
                if is_compiled:
                    seen.compiled.update(lines)
                    seen.compiled_arms.update(_pairs(path.arcs.get(file, ())))
        for file, helped in one.helped.items():
            files.setdefault(file, _File()).helped.update(helped)
        for file, arcs in one.arcs.items():
            files.setdefault(file, _File()).arcs.update(_pairs(arcs))
    return {file: seen.in_words() for file, seen in sorted(files.items())}


@dataclass
class _File:
    traced: set[int] = field(default_factory=set)
    helped: set[int] = field(default_factory=set)
    compiled: set[int] = field(default_factory=set)
    arcs: set[Arc] = field(default_factory=set)
    arms: set[Arc] = field(default_factory=set)
    compiled_arms: set[Arc] = field(default_factory=set)

    def in_words(self) -> dict[str, str]:
        targets: dict[int, set[int]] = {}
        for first, last in self.arms:
            targets.setdefault(first, set()).add(last)
        arms = {arc for arc in self.arms if arc[0] > 0 and len(targets[arc[0]]) > 1}
        return {
            "traced": lines_in_words(self.traced),
            "helped": lines_in_words(self.helped),
            "compiled": lines_in_words(self.compiled),
            "arcs": arcs_in_words(self.arcs),
            "arms": arcs_in_words(arms),
            "compiled_arms": arcs_in_words(arms & self.compiled_arms),
        }


def _pairs(arcs: Iterable[Iterable[int]]) -> Iterable[Arc]:
    return ((first, last) for first, last in arcs)


def control_flow(accounts: Iterable[Account], compiled: Collection[str]) -> dict[str, dict[str, dict[str, str]]]:
    """Control-flow paths of several launches together, as :attr:`verification.record.Measurement.control_flow`.

    Args:
        accounts: the launches.
        compiled: functions that PyPTO compiled in them.
    """
    found: dict[tuple[str, int], dict[str, set[int]]] = {}
    for one in accounts:
        for path in one.paths:
            seen = found.setdefault((path.loop, path.unroll), {"traced": set(), "compiled": set(), "executed": set()})
            seen["traced"].add(path.number)
            if path.is_compiled(compiled):
                seen["compiled"].add(path.number)
            if path.executed:
                seen["executed"].add(path.number)
    loops: dict[str, dict[str, dict[str, str]]] = {}
    for (loop, unroll), seen in sorted(found.items()):
        loops.setdefault(loop, {})[str(unroll)] = {state: lines_in_words(numbers) for state, numbers in seen.items()}
    return loops


def portable(file: str) -> str:
    """A file's path from the folder that Python imports it from, so that it means the same on another machine."""
    folders = [folder for entry in sys.path if entry and file.startswith(folder := f"{entry.rstrip('/')}/")]
    if folders:
        return file.removeprefix(max(folders, key=len))
    path = Path(file)
    above = path.parent
    while (above / "__init__.py").is_file():
        above = above.parent
    return file if above == path.parent else str(path.relative_to(above))


def resolve(file: str) -> Path | None:
    """Where a file that :func:`portable` named is on this machine; None if it is not."""
    candidates = [Path(file), *(Path(entry) / file for entry in sys.path if entry), Path.cwd() / file]
    if "/" in file and not file.startswith("/"):
        with contextlib.suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(file.partition("/")[0])
            candidates += [Path(place).parent / file for place in (spec and spec.submodule_search_locations) or ()]
    return next((path.resolve() for path in candidates if path.is_absolute() and path.is_file()), None)


def _portable(finding: Finding) -> Finding:
    return replace(finding, file=portable(finding.file))
