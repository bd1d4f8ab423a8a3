"""``bsa-verify hello``: one case passes, the same kernel with its scale doubled is caught, then what to type next."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bsa.messages import retell, text
from verification.backends import open_backend
from verification.cli.doctor_command import require_environment
from verification.cli.running import default_memory
from verification.dut import find_duts
from verification.engine import run_case
from verification.plan import Budget, Plan
from verification.record import FAIL, PASS, Record
from verification.selection import find_case
from verification.verdicts import EXIT_FAILED, EXIT_PASSED

EXAMPLE = "bsa-verify hello"
CASE = "S256 Sparse50"
DUT = "bsa.forward"
FAULT = "scale-doubled"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``hello`` has no options of its own."""
    del parser


def execute(arguments: argparse.Namespace) -> int:
    """Runs the good kernel and the faulty one; 0 when the first passed and the second was caught."""
    require_environment()
    print(text("cli.hello.start", case=CASE))
    good, bad = _records(arguments.argv)
    key = "cli.hello.good" if good.outputs else "cli.hello.ended"
    said = text(key, verdict=good.verdict, ratio=f"{good.ratio:.2f}", reason=retell(good.reason))
    print(said.rstrip())
    where = next((one.location for one in bad.outputs if one.location is not None), None)
    print(
        text(
            "cli.hello.bad", verdict=bad.verdict, reason=retell(bad.reason), cause=retell(where.cause) if where else ""
        )
    )
    caught = good.verdict == PASS and bad.verdict == FAIL
    print(text("cli.hello.next") if caught else text("cli.hello.wrong"))
    return EXIT_PASSED if caught else EXIT_FAILED


def _records(argv: list[str]) -> tuple[Record, Record]:
    duts = find_duts()
    entry = find_case(duts, CASE, dut_names=[DUT])
    backend = open_backend("sim", {})
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = []
            for fault in ("", FAULT):
                plan = Plan(
                    run_id="hello",
                    created="",
                    command=("bsa-verify", *argv),
                    run_mode="sim",
                    backend="sim",
                    pass_filter="none",
                    fault=fault,
                    budget=Budget(seconds=120.0, bytes=default_memory()),
                    entries=(entry,),
                )
                dut = duts[entry.case.dut]
                made.append(run_case(entry, backend, dut=dut, plan=plan, attempt=1, folder=Path(folder)))
            return made[0], made[1]
    finally:
        backend.close()
