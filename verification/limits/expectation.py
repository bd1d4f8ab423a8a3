"""What a qualified PyPTO version is expected to do, limit by limit: ``expected/<version>.toml``.

The files are written by :func:`write_expectation` only, from what the probes showed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from verification.limits.limit import UNKNOWN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one probe showed, in one mode."""

    status: str
    evidence: str = ""
    """The true error or the wrong numbers, one line; empty where the numbers are right."""


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """What was accepted for one PyPTO version."""

    pypto: str
    accepted_by: str = ""
    accepted: str = ""
    """Date, ISO 8601."""
    unprotected: tuple[int, ...] = ()
    """Limits that a DUT relies on and whose workaround nothing protects."""
    findings: Mapping[tuple[str, int, str], Finding] = field(default_factory=dict)
    """By (run mode, limit, probe)."""

    def finding(self, mode: str, number: int, probe: str) -> Finding:
        """What is expected of a probe; UNKNOWN where nobody has run it."""
        return self.findings.get((mode, number, probe), Finding(status=UNKNOWN))


def folder() -> Path:
    """Where the expectations lie."""
    return Path(str(resources.files("verification.limits"))) / "expected"


def versions() -> list[str]:
    """Versions with an expectation, oldest first."""
    return sorted((path.stem for path in folder().glob("*.toml")), key=_order)


def expectation_for(version: str) -> Expectation:
    """The expectation of a version; of the newest accepted one where it has none of its own.

    The result's ``pypto`` says which.
    """
    known = versions()
    chosen = version if version in known else (known[-1] if known else "")
    return read_expectation(folder() / f"{chosen}.toml") if chosen else Expectation(pypto="")


def read_expectation(path: Path) -> Expectation:
    """Reads one file.

    Raises:
        ValueError: it is no expectation.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        findings = {
            (mode, int(number), probe): Finding(**entry)
            for mode in ("sim", "npu")
            for number, probes in data.get(mode, {}).items()
            for probe, entry in probes.items()
        }
        return Expectation(
            pypto=data["pypto"],
            accepted_by=data["accepted_by"],
            accepted=data["accepted"],
            unprotected=tuple(data["unprotected"]),
            findings=findings,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not an expectation of this version: {error}") from error


def write_expectation(path: Path, expectation: Expectation) -> None:
    """Writes one file, whole or not at all."""
    draft = path.with_suffix(".new")
    draft.write_text("".join(_lines(expectation)), encoding="utf-8")
    draft.replace(path)


def _lines(expectation: Expectation) -> Iterable[str]:
    yield "# Written by: bsa-verify limits --accept. What the probes showed; not to be edited by hand.\n"
    for name in ("pypto", "accepted_by", "accepted"):
        yield f"{name} = {_quoted(getattr(expectation, name))}\n"
    yield f"unprotected = {list(expectation.unprotected)}\n"
    for (mode, number, probe), finding in sorted(expectation.findings.items()):
        yield f'\n[{mode}.{number}."{probe}"]\nstatus = {_quoted(finding.status)}\n'
        if finding.evidence:
            yield f"evidence = {_quoted(finding.evidence)}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
