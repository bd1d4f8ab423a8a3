"""The command line's parser: one subcommand a module, each with an example; mistyped words suggest the nearest."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn

from verification.errors import UsageError
from verification.selection import nearest


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one helpful line, raised instead of printed."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        keywords.setdefault("allow_abbrev", False)
        super().__init__(*args, **keywords)

    def error(self, message: str) -> NoReturn:
        """Turns argparse's complaint into a :class:`UsageError` that suggests the nearest word.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{self._readable(message)}; see '{self.prog} --help'")

    def _readable(self, message: str) -> str:
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        if unknown:
            word = unknown.group(1).split("=")[0]
            return f"unknown argument {word!r}{nearest(word, self._options())}"
        choice = re.match(r"argument (\S+): invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if choice:
            known = [name.strip().strip("'") for name in choice.group(3).split(",")]
            return (
                f"{choice.group(1)}: {choice.group(2)!r} is none of {', '.join(known)}{nearest(choice.group(2), known)}"
            )
        return message

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuses what it does not know here, where the subcommand's own options are known."""
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            self.error(f"unrecognized arguments: {' '.join(extra)}")
        return found, extra
