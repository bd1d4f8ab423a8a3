"""Options that several subcommands share, and what they say of DUTs that cannot be used."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bsa.messages import text
from verification.dut import Duts
from verification.verdicts import EXIT_ENVIRONMENT


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


def complain_of_broken(duts: Duts, named: Sequence[str]) -> int:
    """Says of each DUT that was asked for why it cannot be used: one line each, on standard error.

    Args:
        duts: every DUT there is.
        named: names of the DUTs that were asked for; none = all.

    Returns:
        The exit code that the command cannot be better than: 0 if nothing is broken.
    """
    lines = [why for name, why in duts.broken.items() if not named or name in named]
    for line in lines:
        print(text("cli.error", message=line), file=sys.stderr, flush=True)
    return EXIT_ENVIRONMENT if lines else 0
