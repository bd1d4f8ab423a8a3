"""``bsa-verify limits``: PyPTO's limits as they stand here, one page."""

from __future__ import annotations

import argparse
import fnmatch
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from bsa import _pypto
from bsa.messages import text
from stimuli.case import Case
from verification.cli.doctor_command import require_environment
from verification.cli.options import complain_of_broken
from verification.cli.outlets import require_file
from verification.cli.results import results_folder
from verification.cli.values import positive_int
from verification.dut import Dut, Duts, find_duts
from verification.duts.pypto_limits import NAME, probe_case
from verification.errors import UsageError
from verification.kernel_digest import kernel_digest
from verification.limits import LIMITS, Limit
from verification.limits.card import card_script, with_answers
from verification.limits.expectation import Expectation, expectation_for, folder, versions, write_expectation
from verification.limits.page import Page, brief_text, make_page, page_text
from verification.limits.ran import Lines, lines_of
from verification.limits.removals import caught_by
from verification.limits.survey import survey
from verification.limits.tags import Use, uses
from verification.runs import LATEST, read_run

"""The newest run."""
EXAMPLE = "bsa-verify limits 2 10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``limits``."""
    parser.add_argument("number", metavar="N", nargs="*", type=positive_int, help=text("cli.limits.number"))
    parser.add_argument("--run-mode", choices=("sim",), default="sim", help=text("cli.limits.run_mode"))
    parser.add_argument("--run", metavar="RUN", default=LATEST, help=text("cli.limits.run"))
    parser.add_argument("--brief", action="store_true", help=text("cli.limits.brief.help"))
    parser.add_argument("--accept", action="store_true", help=text("cli.limits.accept"))
    parser.add_argument("--card-script", metavar="FILE", default=None, help=text("cli.limits.card_script"))
    parser.add_argument("--import", dest="answers", metavar="FILE", default=None, help=text("cli.limits.answers"))
    parser.add_argument("--by", metavar="NAME", default="", help=text("cli.limits.by"))


def execute(arguments: argparse.Namespace) -> int:
    """Runs the probes and prints the page; 1 if a status, or what is unprotected, is not as accepted."""
    if arguments.card_script is not None:
        _write_script(Path(arguments.card_script))
        print(text("cli.limits.script_written", path=arguments.card_script, quoted=shlex.quote(arguments.card_script)))
        return 0
    if arguments.answers is not None:
        return _import(Path(arguments.answers))
    limits = _chosen(arguments.number)
    duts = find_duts()
    cases = list(_cases(duts))
    broken = complain_of_broken(duts, ())
    if broken and arguments.accept:
        return broken
    ran = _ran(arguments.run, duts)
    if arguments.accept and (arguments.number or not arguments.by.strip()):
        raise UsageError(text("error.limits.accept"))
    require_environment()
    version = _pypto.installed_version()
    expectation = expectation_for(version)
    if arguments.accept:
        require_file(folder() / f"{version}.toml", option="--accept")
    jobs = [(limit, probe, probe_case(limit, probe, expectation)) for limit in limits for probe in limit.probes]
    found = survey(jobs, duts[NAME], told=lambda done: _progress(done, len(jobs)))
    names = {name for name, _ in cases}
    page = make_page(
        limits,
        found,
        pypto=version,
        expectation=expectation,
        uses=_uses(duts),
        removals=caught_by(),
        stressing=lambda limit: sum(any(fnmatch.fnmatch(name, one) for one in limit.stress) for name in names),
        whole=not arguments.number,
        crossing=lambda cross: tuple(name for name, case in cases if cross.stressed_by(case)),
        lines=ran,
        guests=[name for name, dut in duts.items() if getattr(dut, "guest", False)],
    )
    print(brief_text(page) if arguments.brief else page_text(page))
    if arguments.accept:
        return _accept(page, expectation, arguments.by.strip())
    return broken or (0 if page.agrees else 1)


def _write_script(path: Path) -> None:
    try:
        path.write_text(card_script(), encoding="utf-8")
    except OSError as error:
        raise UsageError(text("error.limits.script", path=path, why=error.strerror)) from error


def _import(path: Path) -> int:
    """Adds what a card answered to the expectation of its version."""
    try:
        answers = path.read_text(encoding="utf-8")
        version = str(json.loads(answers)["pypto"])
        expectation, count = with_answers(expectation_for(version), answers)
    except OSError as error:
        raise UsageError(text("error.limits.answers", path=path, why=error.strerror)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(text("error.limits.answers", path=path, why=error)) from error
    if version not in versions():
        raise UsageError(text("error.limits.no_expectation", version=version))
    write_expectation(folder() / f"{version}.toml", expectation)
    print(text("cli.limits.imported", count=count, path=folder() / f"{version}.toml"))
    return 0


def _chosen(numbers: Sequence[int]) -> list[Limit]:
    for number in numbers:
        if number not in LIMITS:
            raise UsageError(text("error.limits.number", number=number, last=max(LIMITS)))
    return [LIMITS[number] for number in sorted(set(numbers) or LIMITS)]


def _uses(duts: Mapping[str, Dut]) -> dict[str, list[Use]]:
    """Tagged lines by DUT; PyPTO's own probes rely on nothing."""
    return {name: uses(dut.kernel_sources()) for name, dut in duts.items() if name != NAME}


def _cases(duts: Duts) -> Iterator[tuple[str, Case]]:
    """Every case of the DUTs with its suite in its name, PyPTO's own probes and suites for the night aside."""
    for name, suite in duts.all_suites():
        if not suite.nightly:
            for case in suite.cases:
                if case.dut != NAME:
                    yield f"{name}/{case.name.removeprefix(f'{name}/')}", case


def _ran(run: str, duts: Mapping[str, Dut]) -> Mapping[str, Lines]:
    """What a run says of the DUTs' lines; nothing where there is no run yet."""
    try:
        folder = results_folder(run)
        found = read_run(folder)
    except (FileNotFoundError, ValueError) as error:
        if run == LATEST:
            return {}
        raise UsageError(f"--run: {error}") from error
    digests = {name: kernel_digest(dut) for name, dut in duts.items() if name != NAME}
    return lines_of(folder.name, found.records, digests)


def _accept(page: Page, before: Expectation, name: str) -> int:
    """Writes what the probes showed as the expectation of this version; what a card showed is kept."""
    same = before.pypto == page.pypto
    findings = {key: finding for key, finding in before.findings.items() if key[0] == "npu"} if same else {}
    for entry in page.entries:
        findings |= {("sim", entry.limit.number, probe): one.finding for probe, one in entry.seen.items()}
    accepted = Expectation(
        pypto=page.pypto,
        accepted_by=name,
        accepted=date.today().isoformat(),  # noqa: DTZ011 - the day of who accepts it
        unprotected=page.unprotected,
        findings=findings,
    )
    path = folder() / f"{page.pypto}.toml"
    write_expectation(path, accepted)
    print(text("cli.limits.written", path=path, versions=", ".join(versions())))
    return 0


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done}/{total} ", end="\n" if done == total else "", file=sys.stderr, flush=True)
