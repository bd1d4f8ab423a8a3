"""``bsa-verify list``: one case a line on standard output, nothing else."""

from __future__ import annotations

import argparse
import json

from bsa.messages import text
from verification.cli.options import add_selection, complain_of_broken
from verification.dut import find_duts
from verification.selection import all_suites, select

EXAMPLE = "bsa-verify list --suite published"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``list``."""
    add_selection(parser, suite_help=text("cli.list.suite"))
    parser.add_argument("--run-mode", choices=("sim", "npu"), default="sim", help=text("cli.run.run_mode"))
    parser.add_argument("--json", action="store_true", help=text("cli.list.json"))


def execute(arguments: argparse.Namespace) -> int:
    """Prints ``id  dut  suites  name``, tab separated; with ``--json`` the whole case."""
    duts = find_duts()
    entries = select(
        duts,
        run_mode=arguments.run_mode,
        suites=arguments.suite or sorted(all_suites(duts.only(arguments.dut) if arguments.dut else duts)),
        dut_names=arguments.dut,
        cases=arguments.cases,
    )
    complain_of_broken(duts, arguments.dut)
    for entry in entries:
        if arguments.json:
            print(json.dumps({**entry.case.to_json(), "suites": entry.suites}, ensure_ascii=False))
        else:
            print("\t".join((entry.case_id, entry.case.dut, ",".join(entry.suites), entry.case.label)))
    return 0
