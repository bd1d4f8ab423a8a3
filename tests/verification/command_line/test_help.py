"""Every subcommand explains itself, with an example that parses, in both languages."""

import shlex

import pytest

from bsa.messages import set_language
from verification.cli import build_parser, main
from verification.cli.main import COMMANDS


@pytest.fixture(params=["en", "zh"])
def language(request):
    set_language(request.param)
    yield request.param
    set_language(None)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_parses(command, language, capsys):
    """The example in the help is accepted by the parser."""
    with pytest.raises(SystemExit) as ended:
        main(["--lang", language, command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    example = next(line.strip() for line in text.splitlines() if line.strip().startswith("bsa-verify "))
    arguments = build_parser().parse_args(shlex.split(example)[1:])
    assert arguments.command == command


def test_language_option_is_accepted_before_and_after_the_command(capsys):
    """``--lang`` works in both places and decides the language."""
    texts = []
    for words in (["--lang", "zh", "list", "--suite", "x"], ["list", "--lang=zh", "--suite", "x"]):
        assert main(words) == 2
        texts.append(capsys.readouterr().err)
        set_language(None)
    assert texts[0] == texts[1]
