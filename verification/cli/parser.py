"""The command line's parser: one subcommand a module, each with an example; mistyped words suggest the nearest."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from bsa.argv import with_negative_values
from bsa.messages import text
from verification.errors import UsageError
from verification.selection import nearest


class Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's help in the language of this process."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """Begins with the word for usage. See :class:`argparse.HelpFormatter`."""
        super().add_usage(usage, actions, groups, text("cli.parser.usage") if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        """Translates the headings that argparse gives. See :class:`argparse.HelpFormatter`."""
        known = {"positional arguments": "cli.parser.positional", "options": "cli.parser.options"}
        super().start_section(text(known[heading]) if heading in known else heading)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one helpful line, raised instead of printed."""

    def __init__(self, *, add_help: bool = True, **keywords: Any) -> None:
        keywords.setdefault("formatter_class", Formatter)
        keywords.setdefault("allow_abbrev", False)
        super().__init__(add_help=False, **keywords)
        if add_help:
            self.add_argument("-h", "--help", action="help", help=text("cli.parser.help"))

    def error(self, message: str) -> NoReturn:
        """Turns argparse's complaint into a :class:`UsageError` that suggests the nearest word.

        Raises:
            UsageError: always.
        """
        raise UsageError(text("error.parser.line", problem=self._readable(message), program=self.prog))

    def _readable(self, message: str) -> str:
        if found := re.match(r"unrecognized arguments: (\S+)", message):
            word = found.group(1).split("=")[0]
            return text("error.parser.unknown", word=word, hint=nearest(word, self._options()))
        if found := re.match(r"argument (\S+): invalid choice: '([^']*)' \(choose from (.*)\)", message):
            option, word = found.group(1), found.group(2)
            known = [name.strip().strip("'") for name in found.group(3).split(",")]
            return text("error.none_of", what=option, name=word, known=", ".join(known), hint=nearest(word, known))
        for pattern, key in _COMPLAINTS.items():
            if found := re.fullmatch(pattern, message):
                return text(key, **found.groupdict())
        return message.removeprefix("argument ")

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuses what it does not know here, where the subcommand's own options are known."""
        words = with_negative_values(sys.argv[1:] if args is None else args)
        found, extra = super().parse_known_args(words, namespace)
        if extra:
            self.error(f"unrecognized arguments: {' '.join(extra)}")
        return found, extra


_COMPLAINTS = {
    r"the following arguments are required: (?P<names>.+)": "error.parser.required",
    r"argument (?P<option>.+): expected one argument": "error.parser.value",
    r"argument (?P<option>.+): expected at least one argument": "error.parser.values",
    r"argument (?P<option>.+): ignored explicit argument '(?P<value>.*)'": "error.parser.no_value",
}
"""What argparse says, and our words for it."""
