"""The environment of a run, flattened to pairs for a table."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from verification.runs import Run

LEFT_OUT = ("event", "dirty", "argv", "run_id")
"""Fields of the manifest that a report shows elsewhere."""


def environment(run: Run) -> tuple[tuple[str, str], ...]:
    """(dotted name, value) pairs: the plan's settings first, then the manifest's provenance."""
    plan = run.plan
    settings: list[tuple[str, str]] = [
        ("run_id", plan.run_id),
        ("command", shlex.join(plan.command)),
        ("run_mode", plan.run_mode),
        ("backend", plan.backend),
        ("pass_filter", plan.pass_filter),
        ("fault", plan.fault),
        ("created", plan.created),
        ("finished", finished(run)),
    ]
    provenance = {key: value for key, value in run.manifest.items() if key not in LEFT_OUT}
    return tuple((name, value) for name, value in settings if value) + tuple(_flat(provenance))


def finished(run: Run) -> str:
    """When the last thing of the run ended, ISO 8601; the plan's time if nothing did."""
    return max((record.finished for record in run.records), default=run.plan.created)


def commit(run: Run) -> str:
    """The commit of the tree, or the tree hash of the installed packages; empty if unknown."""
    return str(run.manifest.get("commit") or run.manifest.get("tree") or "")


def dirty(run: Run) -> bool:
    """Whether the tree had uncommitted changes."""
    return bool(run.manifest.get("dirty"))


def trees(run: Run) -> int:
    """How many different trees of sources the run's processes saw: more than one if it was resumed after a change."""
    starts = [event for event in run.events if event.get("event") in ("start", "resume")]
    return len({str(event["tree"]) for event in starts if event.get("tree")})


def installations(run: Run) -> int:
    """How many installations of PyPTO and torch the run's processes saw, told apart by versions and PyPTO's content."""
    starts = [event for event in run.events if event.get("event") in ("start", "resume")]
    seen = [(event.get("versions") or {}, event.get("pypto_file_sha256")) for event in starts]
    return len({(versions.get("pypto"), versions.get("torch"), digest) for versions, digest in seen})


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            yield f"{prefix}{key}", " ".join(str(item) for item in value)
        elif value is not None and value != "":
            yield f"{prefix}{key}", str(value)
