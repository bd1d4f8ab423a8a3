"""``bsa-verify clean``: removes old runs by age and size, and scratch folders of dead processes."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from bsa._pypto import PyptoEnvironmentError, sweep_builds
from bsa.messages import text
from verification.backends.sim.scratch import scratch_place, sweep
from verification.cli.values import byte_size, positive_float
from verification.runs import OUT, is_being_written, list_runs, remove_unplanned

EXAMPLE = "bsa-verify clean --older-than 14 --keep-size 5G --dry-run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``clean``."""
    parser.add_argument("--older-than", type=positive_float, default=None, metavar="DAYS", help=text("cli.clean.age"))
    parser.add_argument("--keep-size", type=byte_size, default=None, metavar="SIZE", help=text("cli.clean.size"))
    parser.add_argument("--dry-run", action="store_true", help=text("cli.clean.dry_run"))


def execute(arguments: argparse.Namespace) -> int:
    """Removes what the options name; the newest run always stays, and so does one that is being written."""
    chosen = choose(list_runs(OUT), older_than=arguments.older_than, keep_size=arguments.keep_size)
    doomed = [folder for folder in chosen if not is_being_written(folder)]
    for folder in doomed:
        print(text("cli.clean.removes", folder=folder, mib=f"{_size(folder) / 2**20:.1f}"))
        if not arguments.dry_run:
            shutil.rmtree(folder)
    if not arguments.dry_run:
        for folder in (*remove_unplanned(), *_killed_builds()):
            print(text("cli.clean.removes", folder=folder, mib="0.0"))
        for folder in sweep(scratch_place()):
            print(text("cli.clean.scratch", folder=folder))
    print(text("cli.clean.done", count=len(doomed)))
    return 0


def _killed_builds() -> list[Path]:
    """Removes what killed builds of PyPTO's calculator left; where no cache can be written, nothing is left."""
    try:
        return sweep_builds()
    except PyptoEnvironmentError:
        return []


def choose(runs: list[Path], *, older_than: float | None, keep_size: int | None) -> list[Path]:
    """The runs to remove, oldest first; never the newest.

    Args:
        runs: folders, oldest first.
        older_than: age in days beyond which a run goes; None = no rule.
        keep_size: bytes that the runs may take together, newest kept first; None = no rule.
    """
    doomed: set[Path] = set()
    now = time.time()
    kept = 0
    for number, folder in enumerate(reversed(runs)):
        kept += _size(folder)
        too_old = older_than is not None and now - folder.stat().st_mtime > older_than * 86400
        too_big = keep_size is not None and kept > keep_size
        if number and (too_old or too_big):
            doomed.add(folder)
    return [folder for folder in runs if folder in doomed]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
