"""``bsa-verify doctor``: every prerequisite, found or missing, with its fix."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.cells import set_cell_size
from rich.console import Console

from bsa import _pypto
from bsa.messages import text
from verification.backends.sim.scratch import scratch_place
from verification.dut import find_duts
from verification.errors import EnvironmentMissingError, UsageError
from verification.provenance import compiler, versions
from verification.verdicts import EXIT_ENVIRONMENT

EXAMPLE = "bsa-verify doctor"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One prerequisite.

    Attributes:
        name: what it is.
        found: what was found; empty if it is missing.
        fix: what to do if it is missing.
        needed: whether the simulator cannot do without it.
    """

    name: str
    found: str
    fix: str = ""
    needed: bool = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``doctor`` has no options of its own."""
    del parser


def execute(arguments: argparse.Namespace) -> int:
    """Prints the findings; 0 if the simulator can run and every DUT can be used, else 4."""
    del arguments
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)
    findings = [check() for check in CHECKS]
    if all(one.found for one in findings if one.needed):
        findings += _duts()
    for finding in findings:
        state, style = _state(finding)
        console.print(f"[{style}]{set_cell_size(state, 8)}[/] {finding.name:<18} ", end="")
        console.print(finding.found or finding.fix, markup=False)
    missing = [finding for finding in findings if finding.needed and not finding.found]
    if missing:
        names = ", ".join(dict.fromkeys(finding.name for finding in missing))
        console.print(text("cli.doctor.missing", names=names), markup=False)
        return EXIT_ENVIRONMENT
    console.print(text("cli.doctor.ready"))
    return 0


def require_environment() -> None:
    """Checks before a run what would otherwise be found out one case after another.

    Raises:
        EnvironmentMissingError: something needed is missing; the message says what and how to mend it.
    """
    for check in CHECKS:
        finding = check()
        if finding.needed and not finding.found:
            raise EnvironmentMissingError(f"{finding.name}: {finding.fix}")


def _state(finding: Finding) -> tuple[str, str]:
    if finding.found:
        return text("cli.doctor.found"), "green"
    return (text("cli.doctor.lacking"), "red") if finding.needed else (text("cli.doctor.absent"), "yellow")


def _python() -> Finding:
    fits = (3, 10) <= sys.version_info[:2] <= (3, 12) and platform.system() == "Linux"
    found = f"{platform.python_version()} {platform.system()} {platform.machine()}"
    return Finding(name="Python, Linux", found=found if fits else "", fix=text("cli.doctor.fix_python", found=found))


def _compiler() -> Finding:
    found = compiler()
    missing = found == "not found"
    return Finding(name="C++ compiler", found="" if missing else found, fix=_pypto.INSTALL_COMPILER)


def _cmake() -> Finding:
    try:
        return Finding(name="cmake", found=str(_pypto.require_cmake()))
    except _pypto.PyptoEnvironmentError as error:
        return Finding(name="cmake", found="", fix=str(error))


def _pypto_version() -> Finding:
    try:
        found = _pypto.check_version()
        _pypto.check_files()
        return Finding(name="PyPTO", found=found)
    except _pypto.PyptoEnvironmentError as error:
        return Finding(name="PyPTO", found="", fix=str(error))


def _torch() -> Finding:
    found = versions()["torch"]
    return Finding(name="torch", found="" if found == "not installed" else found, fix="pip install torch==2.13.0")


def _cache() -> Finding:
    try:
        folder = _pypto.cache_folder()
    except _pypto.PyptoEnvironmentError as error:
        return Finding(name="cache", found="", fix=str(error))
    built = len(list(folder.rglob("*.so")))
    return Finding(name="cache", found=text("cli.doctor.cache", folder=folder, count=built))


def _scratch() -> Finding:
    place = scratch_place()
    free = shutil.disk_usage(place).free if place.is_dir() else 0
    fits = os.access(place, os.W_OK) and free >= _pypto.ROOM // 4
    found = text("cli.doctor.scratch", place=place, gib=f"{free / 2**30:.1f}")
    return Finding(name="scratch", found=found if fits else "", fix=text("cli.doctor.fix_scratch", place=place))


def _card() -> Finding:
    home = os.environ.get("ASCEND_HOME_PATH")
    devices = sorted(str(path) for path in Path("/dev").glob("davinci[0-9]*"))
    found = f"{home} {' '.join(devices)}" if home and devices else ""
    return Finding(name="Ascend card", found=found, fix=text("cli.doctor.fix_card"), needed=False)


def _duts() -> list[Finding]:
    """The DUTs that have something to run, and in the words of ``run`` why others cannot be used."""
    duts, own = find_duts(), ""
    try:
        duts.all_suites()
    except UsageError as error:
        own = str(error)
    usable = ", ".join(name for name in sorted(duts) if not duts.absent(name))
    findings = [Finding(name="DUTs", found=usable, fix=text("cli.doctor.fix_duts"))]
    findings += [Finding(name="DUT", found="", fix=why) for why in duts.broken.values()]
    return [*findings, Finding(name="own cases", found="", fix=own)] if own else findings


CHECKS: tuple[Callable[[], Finding], ...] = (
    _python,
    _compiler,
    _cmake,
    _torch,
    _pypto_version,
    _cache,
    _scratch,
    _card,
)
