"""tox -e nightly runs every suite that is too long for the main job, by commands that bsa-verify understands."""

from __future__ import annotations

import configparser
import shlex
from pathlib import Path

import pytest

from verification.cli.main import build_parser
from verification.dut import find_duts


@pytest.fixture
def commands(root: Path) -> list[list[str]]:
    """The commands of the environment, without what a user may append."""
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(root / "tox.ini", encoding="utf-8")
    lines = settings["testenv:nightly"]["commands"].replace("{posargs}", "").strip().splitlines()
    return [shlex.split(line) for line in lines]


def test_the_commands_are_understood(commands: list[list[str]]) -> None:
    """Every line of bsa-verify is a run that the parser accepts."""
    runs = [words[1:] for words in commands if words[0] == "bsa-verify"]
    assert {build_parser().parse_args(words).command for words in runs} == {"run"}


def test_no_suite_is_left_out(commands: list[list[str]]) -> None:
    """Suites marked as nightly are all run."""
    asked = {word for words in commands for word in words}
    assert {spec.name for dut in find_duts().values() for spec in dut.suites() if spec.nightly} <= asked
