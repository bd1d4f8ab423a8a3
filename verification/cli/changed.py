"""``--changed``: of the cases selected, those that an edit concerns; what is not run is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from bsa.messages import text
from verification.changes.choosing import Choice, Last, choose, last_records
from verification.changes.ran import LINES
from verification.changes.texts import changed_files, known_to_git
from verification.dut import Dut
from verification.errors import UsageError
from verification.plan import PlanEntry
from verification.runs import OUT
from verification.shadow.account import portable, resolve

_SHOWN = 5
"""Files that a line lists."""


def only_changed(
    entries: Sequence[PlanEntry], duts: Mapping[str, Dut], *, since: str | None, backend: str, run_mode: str
) -> tuple[PlanEntry, ...]:
    """The entries that an edit concerns, in the order to run; prints what runs and what does not.

    Args:
        entries: the cases selected.
        duts: every DUT there is.
        since: the git revision to compare with; None = what each case ran last.
        backend: whose records count.
        run_mode: for the estimates of cases without a record.

    Raises:
        UsageError: git does not know the revision, or nothing is left to run.
    """
    if since is not None and not known_to_git(Path.cwd(), since):
        raise UsageError(text("error.no_revision", revision=since))
    last = last_records([entry.case_id for entry in entries], backend=backend, out=OUT)
    choice = choose(
        entries, last, since=since, seconds=lambda entry: duts[entry.case.dut].capacity(entry.case, run_mode).seconds
    )
    for line in describe(choice, unseen=_unseen(choice, since, last)):
        print(line, flush=True)
    if not choice.entries:
        raise UsageError(text("error.nothing_changed"))
    return choice.entries


def describe(choice: Choice, *, unseen: Sequence[str] = ()) -> list[str]:
    """What runs and what does not, in words.

    Args:
        choice: the cases.
        unseen: changed files of which no record knows anything.
    """
    lines = [text("cli.changed.run", changed=len(choice.changed), new=len(choice.new))]
    if choice.left:
        counts = Counter(suite for entry in choice.left for suite in entry.suites)
        suites = ", ".join(f"{suite} {count}" for suite, count in sorted(counts.items()))
        lines.append(text("cli.changed.left", count=len(choice.left), suites=suites))
    if choice.left_failing:
        names = ", ".join(entry.case.label for entry in choice.left_failing[:_SHOWN])
        lines.append(text("cli.changed.left_failing", count=len(choice.left_failing), names=names))
    if unseen:
        more = ", …" if len(unseen) > _SHOWN else ""
        lines.append(text("cli.changed.unseen", count=len(unseen), files=", ".join(unseen[:_SHOWN]) + more))
    return lines


def _unseen(choice: Choice, since: str | None, last: Mapping[str, Last]) -> list[str]:
    """Changed Python files that no record speaks of, where something of what ran is kept: they may decide as well."""
    if not last:
        return []
    executed = {file for one in last.values() for file, seen in one.record.measurement.ran.items() if seen[LINES]}
    folders = {path.parent for file in executed if (path := resolve(file))} or {Path.cwd()}
    changed = [path for path in changed_files(folders, since or "HEAD") if path.suffix == ".py"]
    return [portable(str(path)) for path in changed if path not in choice.speaks_of]
