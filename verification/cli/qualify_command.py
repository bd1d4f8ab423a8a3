"""``bsa-verify qualify``: another PyPTO in an environment of its own: its internals, limits and suites."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from bsa import _pypto
from bsa.messages import current, text
from verification.cli.doctor_command import require_environment
from verification.comparison import compare_runs
from verification.errors import EnvironmentMissingError, UsageError
from verification.limits.outputs import compare_digests, most_ulps, outputs_with
from verification.runs import Run, read_run
from verification.verdicts import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASSED

EXAMPLE = "bsa-verify qualify pypto==0.1.3"
DUTS = ("bsa.forward", "bsa.backward")
SUITES = ("smoke",)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """The PyPTO to qualify."""

    name: str
    version: str
    environ: Mapping[str, str]
    """Of processes that are to use it."""


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
    require_environment()
    candidate = _candidate(arguments)
    print(text("cli.qualify.candidate", name=candidate.name, version=candidate.version), flush=True)
    lacking = _internals(candidate)
    print(text("cli.qualify.internals", missing=", ".join(lacking) or text("cli.limits.nothing")), flush=True)
    if lacking:
        print(text("cli.qualify.verdict.unusable"))
        return EXIT_ENVIRONMENT
    accept = ["--accept", "--by", arguments.by] if arguments.accept else []
    limits = _verify(candidate.environ, "limits", *accept)
    suites = _suites(candidate, arguments.suite, alone=arguments.system)
    good = limits == suites == EXIT_PASSED
    print(text("cli.qualify.verdict.good") if good else text("cli.qualify.verdict.changed"))
    return EXIT_PASSED if good else EXIT_FAILED


def _candidate(arguments: argparse.Namespace) -> Candidate:
    if arguments.system:
        return Candidate(name="system", version=_pypto.installed_version(), environ=dict(os.environ))
    if arguments.pypto is not None:
        folder = Path(arguments.pypto).resolve()
        folder = folder.parent if folder.name == "pypto" else folder
        if not (folder / "pypto" / "__init__.py").is_file():
            raise UsageError(text("error.qualify.path", path=arguments.pypto))
        return _in_folder(folder, str(folder))
    match = re.fullmatch(r"pypto==([0-9][0-9A-Za-z.]*)", arguments.release)
    if match is None:
        raise UsageError(text("error.qualify.release", given=arguments.release))
    folder = _pypto.cache_folder("qualify") / match.group(1)
    if not (folder / "pypto").is_dir():
        _install(arguments.release, folder)
    return _in_folder(folder, arguments.release)


def _install(release: str, folder: Path) -> None:
    """Installs a release beside the others, without touching this environment.

    Raises:
        EnvironmentMissingError: pip cannot.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), release]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise EnvironmentMissingError(text("error.qualify.install", release=release, why=last))


def _in_folder(folder: Path, name: str) -> Candidate:
    """A PyPTO that lies in a folder: processes see that folder first, and accept its version."""
    found = [one.version for one in metadata.distributions(path=[str(folder)]) if one.metadata["Name"] == "pypto"]
    version = found[0] if found else _pypto.installed_version()
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    return Candidate(name=name, version=version, environ={**os.environ, "PYTHONPATH": path, _pypto.OVERRIDE: version})


def _internals(candidate: Candidate) -> list[str]:
    """What the candidate lacks; why it cannot be imported, if it cannot."""
    command = [sys.executable, "-m", "verification.limits.internals"]
    done = subprocess.run(command, env=candidate.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        return [(done.stderr.strip().splitlines() or ["import pypto"])[-1]]
    return done.stdout.split("\n")[:-1]


def _suites(candidate: Candidate, names: Sequence[str], *, alone: bool) -> int:
    """Runs suites with the candidate, and with the installed PyPTO beside it; 1 if a case fails, or is worse."""
    if not names:
        return EXIT_PASSED
    selection = ("--suite", *names, "--dut", *DUTS)
    ours, theirs = Path("out/qualify-installed"), Path(f"out/qualify-{candidate.version}-candidate")
    codes = [_run(candidate.environ, (*selection, "--passes", "default"), theirs)]
    print(_passes(read_run(theirs)), flush=True)
    if not alone:
        codes.append(_run(os.environ, selection, ours))
        installed, other = read_run(ours), read_run(theirs)
        comparison = compare_runs(installed, other)
        print(comparison.to_text(), flush=True)
        print(_outputs(installed, other, candidate.environ), flush=True)
        codes.append(int(comparison.worse))
    return EXIT_FAILED if any(codes) else EXIT_PASSED


def _passes(run: Run) -> str:
    """How many cases were interpreted after compile passes, and which passes differ from the tensor graph first."""
    tables = [record.measurement.passes for record in run.records if record.measurement.passes]
    differing = Counter(name for table in tables for name, difference in table.items() if difference)
    names = {name for table in tables for name in table}
    said = ", ".join(f"{name} ({count})" for name, count in sorted(differing.items()))
    return text(
        "cli.qualify.passes", cases=len(tables), passes=len(names), differing=said or text("cli.limits.nothing")
    )


def _outputs(ours: Run, theirs: Run, environ: Mapping[str, str]) -> str:
    """How many outputs are equal, and how far the others are apart; those cases are run once more with both."""
    compared = compare_digests(ours.records, theirs.records)
    total = compared.equal + len(compared.other)
    if not compared.other:
        return text("cli.qualify.equal", count=compared.equal, total=total)
    with tempfile.TemporaryDirectory() as folder:
        pair = [
            outputs_with(env, compared.cases, Path(folder) / f"{name}.pt")
            for name, env in (("ours", os.environ), ("theirs", environ))
        ]
    return text("cli.qualify.apart", count=compared.equal, total=total, ulps=f"{most_ulps(*pair):.3g}")


def _run(environ: Mapping[str, str], selection: Sequence[str], folder: Path) -> int:
    number, chosen = 1, folder
    while chosen.exists():
        number += 1
        chosen = folder.with_name(f"{folder.name}-{number}")
    if number > 1:
        chosen.parent.mkdir(exist_ok=True)
        folder.rename(chosen)
    return _verify(environ, "run", *selection, "--out", str(folder))


def _verify(environ: Mapping[str, str], command: str, *arguments: str) -> int:
    """Runs one of our own commands in a process of its own, with its output shown here."""
    words = [sys.executable, "-m", "verification.cli", command, *arguments, "--lang", current().language]
    return subprocess.run(words, env=environ, check=False).returncode
