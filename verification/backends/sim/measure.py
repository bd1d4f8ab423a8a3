"""Figures of one attempt, from what PyPTO left in its output folder and what the watcher saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bsa._pypto import Launch, compare_passes, read_launch
from verification.record import Measurement
from verification.sanitizer.order import Overlap, unordered
from verification.shadow import crosscheck
from verification.shadow.account import Account, control_flow, merged
from verification.shadow.crosscheck import places


def measure(
    output: Path, answer: Mapping[str, Any], pass_filter: str, accounts: Sequence[Account] = ()
) -> tuple[Measurement, bool, str]:
    """Reads the launches of an attempt.

    Args:
        output: PyPTO's output folder, one ``output_*`` folder a launch.
        answer: what the warm parent said of the child: ``wall_s``, ``cpu_s``, ``peak_bytes``.
        pass_filter: ``none``, ``default`` or ``all``.
        accounts: the launches as the child replayed them.

    Returns:
        The figures, whether every launch left the logs that show it ran, and how the replays differ from those logs.
    """
    folders = sorted(output.glob("output_*"))
    launches = [launch for folder in folders if (launch := _launch(folder)) is not None]
    times = [launch.microseconds for launch in launches if launch.microseconds is not None]
    compiled = {path for launch in launches for path in launch.compiled}
    ops: Counter[str] = Counter()
    for launch in launches:
        ops.update(launch.ops)
    measurement = Measurement(
        wall_s=answer["wall_s"],
        cpu_s=answer["cpu_s"],
        compile_s=_seconds(launches, "compile", "control_flow"),
        interpret_s=_seconds(launches, "interpret"),
        model_s=_seconds(launches, "model"),
        peak_bytes=answer["peak_bytes"],
        model_us=sum(times) if times else None,
        utilisation=_utilisation(launches),
        tasks=sum(launch.tasks for launch in launches),
        paths=tuple(sorted({path for launch in launches for path in launch.paths})),
        compiled=tuple(sorted(compiled)),
        ops=dict(sorted(ops.items())),
        stages=tuple(dict.fromkeys(stage for launch in launches for stage in launch.stages)),
        pass_filter=pass_filter,
        passes=_passes(launches) if pass_filter != "none" else {},
        executed=merged(accounts, compiled),
        control_flow=control_flow(accounts, compiled),
        trips=_trips(accounts),
        findings=(*(finding for one in accounts for finding in one.findings), *_unordered(accounts, launches)),
        not_replayed=next((one.unknown for one in accounts if one.unknown), ""),
    )
    whole = bool(launches) and len(launches) == len(folders)
    whole = whole and all({"trace", "interpreter"} <= set(launch.stages) for launch in launches)
    return measurement, whole, _differences(accounts, launches) if whole else ""


def _differences(accounts: Sequence[Account], launches: Sequence[Launch]) -> str:
    """The first difference between the replays and PyPTO's account of the launches; empty if there is none."""
    if accounts and len(accounts) != len(launches):
        return f"{len(accounts)} launches were replayed, {len(launches)} ran"
    for account, launch in zip(accounts, launches, strict=False):
        if account.unknown or "model" not in launch.stages:
            continue
        found = crosscheck(account.roots, launch)
        if found is not None:
            return f"{account.kernel}: {found}"
    return ""


def _unordered(accounts: Sequence[Account], launches: Sequence[Launch]) -> list[Mapping[str, Any]]:
    """Writes to one region that nothing orders, of launches that left their graph of tasks."""
    found: list[Mapping[str, Any]] = []
    for account, launch in zip(accounts, launches, strict=False):
        if account.overlaps and "model" in launch.stages:
            overlaps = [Overlap.from_json(one) for one in account.overlaps]
            found += [one.to_json() for one in unordered(overlaps, places(account.roots, launch), launch)]
    return found


def _trips(accounts: Sequence[Account]) -> dict[str, list[int]]:
    """Numbers of iterations that occurred, by loop."""
    names = sorted({name for one in accounts for name in one.trips})
    return {name: sorted({count for one in accounts for count in one.trips.get(name, [])}) for name in names}


def _launch(folder: Path) -> Launch | None:
    """What a launch left; None where the process was ended in the middle of a file."""
    try:
        return read_launch(folder)
    except (KeyError, OSError, TypeError, ValueError):
        return None


def _passes(launches: Sequence[Launch]) -> dict[str, str]:
    """How each pass differs from the tensor graph, over all launches; the first difference of each."""
    found: dict[str, str] = {}
    for launch in launches:
        for one in compare_passes(launch.folder):
            found[one.name] = found.get(one.name) or one.first
    return found


def _seconds(launches: Sequence[Launch], *stages: str) -> float | None:
    """Seconds of these stages over all launches; None where none of them is known."""
    found = [launch.seconds[stage] for launch in launches for stage in stages if stage in launch.seconds]
    return sum(found) if found else None


def _utilisation(launches: Sequence[Launch]) -> float | None:
    """Utilisation of all launches together, weighted by their time."""
    pairs = [
        (one.microseconds, one.utilisation) for one in launches if one.microseconds and one.utilisation is not None
    ]
    total = sum(time for time, _ in pairs)
    return sum(time * share for time, share in pairs) / total if total else None
