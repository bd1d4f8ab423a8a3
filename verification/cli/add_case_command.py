"""``bsa-verify add-case``: keeps a case among the user's own, which suite ``field`` runs."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from bsa.messages import text
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.user_cases import append, read_file
from verification.cli.replay_command import find_entry
from verification.cli.running import default_memory
from verification.dut import Duts, find_duts
from verification.errors import UsageError
from verification.keeping import require_keepable
from verification.selection import all_suites
from verification.user_cases import SUITE, cases_folder

EXAMPLE = "bsa-verify add-case 'S256 Sparse50' --dut bsa.forward --name 'ticket 4711'"
FILE = "field.toml"
"""The file in the folder of cases that cases are added to."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``add-case``."""
    parser.add_argument("case", metavar="CASE", help=text("cli.add-case.case"))
    parser.add_argument("--dut", metavar="D", default=None, help=text("cli.replay.dut"))
    parser.add_argument("--run", metavar="RUN", default=None, help=text("cli.replay.run"))
    parser.add_argument("--name", metavar="NAME", default=None, help=text("cli.add-case.name"))
    parser.add_argument("--file", type=Path, metavar="FILE", default=None, help=text("cli.add-case.file"))


def execute(arguments: argparse.Namespace) -> int:
    """Adds the case, or every case of a TOML file; says where, and what runs it."""
    duts = find_duts()
    source = Path(arguments.case)
    cases = _from_toml(source) if source.suffix == ".toml" else (find_entry(arguments, duts).case,)
    if arguments.name is not None:
        cases = tuple(_named(case, arguments.name) for case in cases)
    known = _known(duts, arguments.file)
    unchecked = [require_keepable(case, duts, room=default_memory()) for case in cases]
    for case, said in zip(cases, unchecked, strict=True):
        print(text("cli.add-case.known", case=case.label) if case.id in known else add_case(case, arguments.file))
        if said:
            print(said)
        known.add(case.id)
    return 0


def add_case(case: Case, file: Path | None = None) -> str:
    """Adds one case to the user's own.

    Args:
        case: the case.
        file: the TOML file; None = ``field.toml`` in the folder of cases.

    Returns:
        A line that says where it is.

    Raises:
        UsageError: the file cannot hold it.
        OSError: the file cannot be written.
    """
    target = file or cases_folder() / FILE
    try:
        append(target, case)
    except StimulusError as error:
        raise UsageError(str(error)) from error
    return text("cli.add-case.added", case=case.label, file=target, id=case.id)


def _known(duts: Duts, file: Path | None) -> set[str]:
    """Ids of the cases that are there already: in the file that is named, in suite ``field`` otherwise."""
    if file is None:
        return {case.id for spec in all_suites(duts).get(SUITE, []) for case in spec.cases}
    return {case.id for case in _from_toml(file)} if file.exists() else set()


def _from_toml(source: Path) -> tuple[Case, ...]:
    try:
        return read_file(source)
    except StimulusError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(text("error.system", what=source, why=error.strerror)) from error


def _named(case: Case, name: str) -> Case:
    try:
        return replace(case, name=name)
    except StimulusError as error:
        raise UsageError(f"--name: {error}") from error
