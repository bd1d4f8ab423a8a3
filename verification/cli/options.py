"""Options that several subcommands share."""

from __future__ import annotations

import argparse

from bsa.messages import text


def add_selection(parser: argparse.ArgumentParser, *, suite_help: str) -> None:
    """Declares ``--suite``, ``--dut`` and ``--cases``; each takes several names, and adds up when given again.

    Args:
        parser: the subcommand's.
        suite_help: what ``--suite`` says of itself.
    """
    for option, metavar, words in (
        ("--suite", "S", suite_help),
        ("--dut", "D", text("cli.run.dut")),
        ("--cases", "NAME", text("cli.run.cases")),
    ):
        parser.add_argument(option, nargs="+", action="extend", default=[], metavar=metavar, help=words)
