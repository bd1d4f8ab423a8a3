"""Entry point of ``bsa-verify``: parses, dispatches, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType

from bsa.messages import LANGUAGES, set_language, text
from verification.backends.errors import BackendError
from verification.cli.parser import Parser
from verification.errors import EnvironmentMissingError, UsageError
from verification.journal import JournalError
from verification.uninterrupted import ENDING, ignore_from_now_on
from verification.verdicts import EXIT_ENVIRONMENT, EXIT_INCOMPLETE, EXIT_USAGE

COMMANDS = (
    "doctor",
    "hello",
    "list",
    "run",
    "replay",
    "try",
    "shrink",
    "add-case",
    "report",
    "kernel-coverage",
    "merge",
    "compare",
    "coverage",
    "holes",
    "check-size",
    "limits",
    "lint",
    "qualify",
    "clean",
)
"""Subcommands in the order of the help; each is a module ``verification.cli.<name>_command``, ``_`` for ``-``."""


def command_module(name: str) -> ModuleType:
    """The module of a subcommand."""
    return import_module(f"verification.cli.{name.replace('-', '_')}_command")


def build_parser() -> Parser:
    """The whole parser, with every subcommand."""
    parser = Parser(prog="bsa-verify", description=text("cli.description"))
    parser.add_argument("--lang", choices=sorted(LANGUAGES), default=None, help=text("cli.lang.help"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name in COMMANDS:
        module = command_module(name)
        sub = commands.add_parser(
            name,
            help=text(f"cli.{name}.help"),
            description=text(f"cli.{name}.help"),
            epilog=text("cli.example", example=module.EXAMPLE),
        )
        sub.add_argument("--lang", choices=sorted(LANGUAGES), default=argparse.SUPPRESS, help=text("cli.lang.help"))
        module.add_arguments(sub)
        sub.set_defaults(execute=module.execute)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: the arguments; those of this process by default.

    Returns:
        The exit code (design, section 4, rule 10).
    """
    given = list(sys.argv[1:] if argv is None else argv)
    _open_standard_streams()
    try:
        with _ended_in_order():
            _early_language(given)
            arguments = build_parser().parse_args(given)
            arguments.argv = given
            return int(arguments.execute(arguments))
    except UsageError as error:
        return _complain(str(error), EXIT_USAGE)
    except (EnvironmentMissingError, BackendError, JournalError) as error:
        return _complain(str(error), EXIT_ENVIRONMENT)
    except KeyboardInterrupt:
        ignore_from_now_on()
        return _complain(text("cli.interrupted"), EXIT_INCOMPLETE)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what, why = error.filename or type(error).__name__, error.strerror or error
        return _complain(text("error.system", what=what, why=why), EXIT_ENVIRONMENT)


def _open_standard_streams() -> None:
    """Makes all three fit to be used, whoever started us.

    Nothing stands in for one that is closed, so that no file of a run gets its number; and a character that the
    terminal's encoding lacks costs that character.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP end the command as SIGINT does, unless they are ignored already (``nohup``)."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING[1:]:
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        atexit.unregister(ignore_from_now_on)
        atexit.register(ignore_from_now_on)  # now, to come before what torch does at the end


def _early_language(given: Sequence[str]) -> None:
    """Chooses the language before the help texts are made."""
    for number, word in enumerate(given):
        value = word.partition("=")[2] if word.startswith("--lang=") else ""
        if word == "--lang" and number + 1 < len(given):
            value = given[number + 1]
        if value in LANGUAGES:
            set_language(value)


def _complain(message: str, code: int) -> int:
    print(text("cli.error", message=message), file=sys.stderr)
    return code
