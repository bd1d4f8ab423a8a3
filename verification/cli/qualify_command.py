"""``bsa-verify qualify``: another PyPTO in an environment of its own: its internals, limits and suites."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from bsa.messages import current, text
from verification.cli.candidate import Candidate, installed_one, of_folder, of_release
from verification.cli.doctor_command import require_environment
from verification.cli.outlets import require_folder
from verification.comparison import compare_runs
from verification.errors import UsageError
from verification.limits.expectation import folder as expectations
from verification.limits.outputs import compare_digests, distances, outputs_with
from verification.runs import OUT, Run, read_run
from verification.verdicts import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASSED

EXAMPLE = "bsa-verify qualify pypto==0.1.3"
DUTS = ("bsa.forward", "bsa.backward")
SUITES = ("smoke",)
APART = 1.0
"""Distance in units in the last place beyond which an output counts as another one."""
NAMED = 5
"""Outputs that are named as other ones."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``qualify``."""
    parser.add_argument("release", metavar="pypto==X", nargs="?", default=None, help=text("cli.qualify.release"))
    parser.add_argument("--pypto", metavar="PATH", default=None, help=text("cli.qualify.path"))
    parser.add_argument("--system", action="store_true", help=text("cli.qualify.system"))
    parser.add_argument("--suite", metavar="S", nargs="*", default=list(SUITES), help=text("cli.qualify.suite"))
    parser.add_argument("--accept", action="store_true", help=text("cli.limits.accept"))
    parser.add_argument("--by", metavar="NAME", default="", help=text("cli.limits.by"))


def execute(arguments: argparse.Namespace) -> int:
    """Reports on the candidate; 0 if everything is there and as accepted, 1 if not, 4 if it cannot be used at all."""
    if sum((arguments.release is not None, arguments.pypto is not None, arguments.system)) != 1:
        raise UsageError(text("error.qualify.which"))
    if arguments.accept and not arguments.by.strip():
        raise UsageError(text("error.limits.accept"))
    require_folder(OUT, option=str(OUT))
    if arguments.accept:
        require_folder(expectations(), option="--accept")
    candidate = _candidate(arguments)
    require_environment()
    print(text("cli.qualify.candidate", name=candidate.name, version=candidate.version), flush=True)
    lacking = _internals(candidate)
    print(text("cli.qualify.internals", missing=", ".join(lacking) or text("cli.limits.nothing")), flush=True)
    if lacking:
        print(text("cli.qualify.verdict.unusable"))
        return EXIT_ENVIRONMENT
    accept = ["--accept", "--by", arguments.by] if arguments.accept else []
    differences = []
    if _verify(candidate.environ, "limits", "--brief", *accept) != EXIT_PASSED and not arguments.accept:
        differences.append(text("cli.qualify.verdict.limits"))
    differences += _suites(candidate, arguments.suite, alone=arguments.system)
    if not differences:
        print("\n" + text("cli.qualify.verdict.good"))
        return EXIT_PASSED
    print("\n" + text("cli.qualify.verdict.changed", what=text("cli.qualify.and").join(differences)))
    return EXIT_FAILED


def _candidate(arguments: argparse.Namespace) -> Candidate:
    if arguments.system:
        return installed_one()
    return of_folder(arguments.pypto) if arguments.pypto is not None else of_release(arguments.release)


def _internals(candidate: Candidate) -> list[str]:
    """What the candidate lacks; why it cannot be imported, if it cannot."""
    command = [sys.executable, "-m", "verification.limits.internals"]
    done = subprocess.run(command, env=candidate.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        return [(done.stderr.strip().splitlines() or ["import pypto"])[-1]]
    return done.stdout.split("\n")[:-1]


def _suites(candidate: Candidate, names: Sequence[str], *, alone: bool) -> list[str]:
    """Runs suites with the candidate, and with the installed PyPTO beside it; says what is worse or other."""
    if not names:
        print(text("cli.qualify.no_suites"), flush=True)
        return []
    selection = ("--suite", *names, "--dut", *DUTS)
    ours, theirs = Path("out/qualify-installed"), Path(f"out/qualify-{candidate.version}-candidate")
    print("\n" + text("cli.qualify.selected", suites=", ".join(names), duts=", ".join(DUTS)), flush=True)
    environ = {**candidate.environ, **candidate.of_suites}
    code = _run(environ, (*selection, "--passes", "default"), theirs)
    differences = [] if code == EXIT_PASSED else [text("cli.qualify.verdict.suites")]
    other = read_run(theirs)
    differing = _passes(other)
    if differing:
        differences.append(text("cli.qualify.verdict.passes"))
    if not alone:
        print("\n" + text("cli.qualify.beside"), flush=True)
        _run(os.environ, selection, ours)
        installed = read_run(ours)
        comparison = compare_runs(installed, other)
        print(comparison.to_text(), flush=True)
        print(_model_us(installed, other), flush=True)
        if comparison.worse:
            differences.append(text("cli.qualify.verdict.worse"))
        if _outputs(installed, other, environ):
            differences.append(text("cli.qualify.verdict.outputs"))
    return differences


def _passes(run: Run) -> Counter[str]:
    """Says how many cases were interpreted after compile passes; passes that differ from the tensor graph first."""
    tables = [record.measurement.passes for record in run.records if record.measurement.passes]
    differing = Counter(name for table in tables for name, difference in table.items() if difference)
    names = {name for table in tables for name in table}
    said = ", ".join(f"{name} ({count})" for name, count in sorted(differing.items()))
    print(
        text("cli.qualify.passes", cases=len(tables), passes=len(names), differing=said or text("cli.limits.nothing")),
        flush=True,
    )
    return differing


def _model_us(ours: Run, theirs: Run) -> str:
    """The simulated time of all cases that both ran."""
    pair = [
        {one.case_id: one.measurement.model_us for one in run.records if one.measurement.model_us is not None}
        for run in (ours, theirs)
    ]
    common = pair[0].keys() & pair[1].keys()
    before, after = (sum(one[case] or 0.0 for case in common) for one in pair)
    return text("cli.qualify.model_us", cases=len(common), before=f"{before:.1f}", after=f"{after:.1f}")


def _outputs(ours: Run, theirs: Run, environ: Mapping[str, str]) -> bool:
    """Says how many outputs are equal, and how far the others are apart; those cases are run once more with both.

    Returns:
        Whether one is further apart than a unit in the last place.
    """
    compared = compare_digests(ours.records, theirs.records)
    total = compared.equal + len(compared.other)
    if not compared.other:
        print(text("cli.qualify.equal", count=compared.equal, total=total), flush=True)
        return False
    with tempfile.TemporaryDirectory() as folder:
        pair = [
            outputs_with(env, compared.cases, Path(folder) / f"{name}.pt")
            for name, env in (("ours", os.environ), ("theirs", environ))
        ]
    apart = distances(*pair)
    near = sum(0.0 < distance <= APART for distance in apart.values())
    far = sorted(((one, key) for key, one in apart.items() if one > APART), reverse=True)
    print(text("cli.qualify.apart", count=compared.equal, total=total, near=near, far=len(far)), flush=True)
    names = {entry.case_id: f"{entry.case.dut} {entry.case.label}" for entry in theirs.plan.entries}
    for distance, (case, output) in far[:NAMED]:
        print(text("cli.qualify.far", case=names.get(case, case), output=output, ulps=f"{distance:.3g}"), flush=True)
    return bool(far)


def _run(environ: Mapping[str, str], selection: Sequence[str], folder: Path) -> int:
    number, chosen = 1, folder
    while chosen.exists():
        number += 1
        chosen = folder.with_name(f"{folder.name}-{number}")
    if number > 1:
        folder.rename(chosen)
    return _verify(environ, "run", *selection, "--out", str(folder))


def _verify(environ: Mapping[str, str], command: str, *arguments: str) -> int:
    """Runs one of our own commands in a process of its own, with its output shown here."""
    words = [sys.executable, "-m", "verification.cli", command, *arguments, "--lang", current().language]
    return subprocess.run(words, env=environ, check=False).returncode
