"""``bsa-verify lint``: forms of a kernel that hit one of PyPTO's limits, without running it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from bsa import _pypto
from bsa.messages import current, text
from verification.errors import UsageError
from verification.limits import LIMITS
from verification.limits.expectation import expectation_for, versions
from verification.lint import ERROR, Finding, lint_file
from verification.selection import nearest

EXAMPLE = "bsa-verify lint bsa/kernels/forward.py bsa/kernels/backward.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``lint``."""
    parser.add_argument("file", metavar="FILE", nargs="+", help=text("cli.lint.file"))
    parser.add_argument("--pypto", metavar="X", default=None, help=text("cli.lint.pypto"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints one finding a line; 1 if one of them is an error."""
    expectation = expectation_for(_version(arguments.pypto))
    files = list(_files(arguments.file))
    if not files:
        raise UsageError(text("error.lint.nothing", given=", ".join(arguments.file)))
    found = [one for path in files for one in _lint(path, expectation)]
    for finding in found:
        print(_line(finding))
    errors = sum(finding.level == ERROR for finding in found)
    print(text("cli.lint.count", errors=errors, warnings=len(found) - errors, pypto=expectation.pypto))
    return 1 if errors else 0


def _lint(path: Path, expectation: object) -> list[Finding]:
    try:
        return lint_file(path, expectation)  # type: ignore[arg-type]
    except SyntaxError as error:
        raise UsageError(text("error.lint.syntax", path=path, line=error.lineno or 1, why=error.msg)) from error
    except (OSError, ValueError) as error:
        raise UsageError(text("error.lint.read", path=path, why=getattr(error, "strerror", None) or error)) from error


def _files(given: Sequence[str]) -> Iterator[Path]:
    """The files themselves, and every Python file of folders."""
    for name in given:
        path = Path(name)
        if path.is_dir():
            yield from sorted(path.rglob("*.py"))
        else:
            yield path


def _version(named: str | None) -> str:
    if named is not None:
        if named not in versions():
            known = ", ".join(versions())
            hint = nearest(named, versions())
            raise UsageError(text("error.none_of", what="--pypto", name=named, known=known, hint=hint))
        return named
    try:
        return _pypto.installed_version()
    except _pypto.PyptoEnvironmentError:
        return versions()[-1]


def _line(finding: Finding) -> str:
    limit = LIMITS[finding.limit]
    language = current().language
    words = text(
        "cli.lint.finding",
        level=text(f"cli.lint.level.{finding.level}"),
        limit=finding.limit,
        rule=finding.rule,
        what=" ".join(finding.what.split()),
        surfaces=finding.surfaces or text("cli.lint.unseen"),
        instead=limit.workaround.say(language),
    )
    return f"{finding.path}:{finding.line}:{finding.column}: {words}"
