"""A value that begins with a minus sign is named by every option that wants a number, and legal where one is."""

import argparse
from pathlib import Path

import pytest

from bsa.argv import with_negative_values
from verification.cli.main import COMMANDS, command_module, main


class Noting(argparse.ArgumentParser):
    """Notes the long options that read a number."""

    def __init__(self):
        super().__init__()
        self.noted = []

    def add_argument(self, *names, **keywords):
        """Notes one. See :class:`argparse.ArgumentParser`."""
        if names[-1].startswith("--") and keywords.get("type", Path) is not Path:
            self.noted.append(names[-1])
        return super().add_argument(*names, **keywords)


def number_options():
    """(command, option) of all commands."""
    for command in COMMANDS:
        parser = Noting()
        command_module(command).add_arguments(parser)
        yield from ((command, option) for option in parser.noted)


def test_there_are_such_options():
    """The list that the next test goes through has those of several commands."""
    assert {("try", "--q"), ("run", "--workers"), ("shrink", "--timeout")} <= set(number_options())


@pytest.mark.parametrize("value", ["-1,x", "-1e", "-.5x", "-INF,"])
@pytest.mark.parametrize(("command", "option"), list(number_options()))
def test_the_value_is_named(capsys, command, option, value):
    """One line with option and value, not that a value is missing; exit code 2."""
    assert main([command, option, value]) == 2
    error = capsys.readouterr().err
    assert option in error
    assert f"{value}'" in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        (["try", "--q", "-1,2"], ["try", "--q=-1,2"]),
        (["--a", "-1", "-2"], ["--a=-1", "-2"]),
        (["--a=3", "-1"], ["--a=3", "-1"]),
        (["--a", "-b", "--c", "-n4"], ["--a", "-b", "--c", "-n4"]),
        (["--", "--a", "-1"], ["--", "--a", "-1"]),
        (["-1"], ["-1"]),
        ([], []),
    ],
)
def test_what_is_joined(words, joined):
    """A long option without a value and the negative number that follows it; nothing after --."""
    assert with_negative_values(words) == joined
