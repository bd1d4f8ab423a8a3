"""What is kept of a replayed launch: small, plain data that a record can hold."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from verification.sanitizer import Finding, Sanitizer
from verification.shadow.crosscheck import Roots
from verification.shadow.expression import NotReplayableError
from verification.shadow.launch import Launched
from verification.shadow.lines import Lines
from verification.shadow.replay import replay


@dataclass(frozen=True, kw_only=True)
class Account:
    """One launch."""

    kernel: str
    roots: tuple[str, ...] = ()
    """Functions of paths that it called, in order."""
    traced: Mapping[str, list[int]] = field(default_factory=dict)
    """Lines that the trace visited, by file."""
    arcs: Mapping[str, list[list[int]]] = field(default_factory=dict)
    """Arcs between lines that were executed, by file."""
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
        return cls(**{**data, **{name: tuple(data[name]) for name in several}})


def account(launched: Launched) -> Account:
    """Replays a launch and keeps what it shows.

    Args:
        launched: as :func:`verification.shadow.record` gives it.
    """
    trace = launched.trace
    traced = {portable(file): sorted(lines) for file, lines in trace.lines().items()}
    roots, lines, sanitizer = Roots(), Lines(), Sanitizer()
    try:
        replay(launched, [roots, lines, sanitizer])
    except NotReplayableError as error:
        return Account(kernel=trace.kernel, traced=traced, unknown=str(error))
    return Account(
        kernel=trace.kernel,
        roots=tuple(roots.names),
        traced=traced,
        arcs={portable(file): [list(arc) for arc in sorted(arcs)] for file, arcs in lines.arcs.items()},
        trips={name: sorted(counts) for name, counts in lines.trips.items()},
        findings=tuple(_portable(finding).to_json() for finding in sanitizer.findings),
        overlaps=tuple(replace(one, file=portable(one.file)).to_json() for one in sanitizer.overlaps),
    )


def merged(accounts: Iterable[Account]) -> dict[str, dict[str, list[Any]]]:
    """Lines and arcs of several launches together, by file: ``traced`` and ``arcs``."""
    found: dict[str, dict[str, list[Any]]] = {}
    for one in accounts:
        for file in {*one.traced, *one.arcs}:
            before = found.setdefault(file, {"traced": [], "arcs": []})
            before["traced"] = sorted({*before["traced"], *one.traced.get(file, [])})
            arcs = {tuple(arc) for arc in (*before["arcs"], *one.arcs.get(file, []))}
            before["arcs"] = [list(arc) for arc in sorted(arcs)]
    return found


def portable(file: str) -> str:
    """A file's path from the folder that Python imports it from, so that it means the same on another machine."""
    path = Path(file)
    folders = [Path(entry) for entry in sys.path if entry and path.is_relative_to(entry)]
    if folders:
        return str(path.relative_to(max(folders, key=lambda one: len(one.parts))))
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
