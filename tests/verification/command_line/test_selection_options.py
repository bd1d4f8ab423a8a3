"""Options that name several things, and the language of what is wrong with them."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bsa.messages import set_language
from verification.cli import build_parser, main
from verification.dut import find_duts
from verification.selection import DEFAULT_SUITES, select


@pytest.mark.parametrize("command", ["run", "list"])
@pytest.mark.parametrize("option", ["--suite", "--dut", "--cases"])
def test_option_given_twice_adds_up(command, option):
    """``--suite a --suite b c`` is ``--suite a b c``, and a later command begins with nothing."""
    parser = build_parser()
    words = [command, option, "a", option, "b", "c"]
    assert getattr(parser.parse_args(words), option[2:]) == ["a", "b", "c"]
    assert getattr(parser.parse_args([command]), option[2:]) == []


def test_list_adds_up(capsys):
    """Two suites given by two options are listed as the same two given by one."""
    assert main(["list", "--dut", "toy.double", "--suite", "toy", "--suite", "toy-huge"]) == 0
    two = capsys.readouterr().out
    assert main(["list", "--dut", "toy.double", "--suite", "toy", "toy-huge"]) == 0
    assert two == capsys.readouterr().out
    assert len(two.splitlines()) == 4


WRONG = [
    ("rnu",),
    ("run", "--siute", "smoke"),
    ("run", "--suite", "publshed"),
    ("run", "--suite"),
    ("run", "--cases", "no such case at all"),
    ("run", "--dut", "toy.double", "--suite", "toy-huge", "--cases", "huge", "--run-mode", "nope"),
    ("run", "-n", "0"),
    ("run", "--timeout", "-1"),
    ("run", "--memory", "6X"),
    ("run", "--verbose=1"),
    ("run", "--resume", "nowhere"),
    ("run", "--resume", "nowhere", "--timeout", "3", "--suite", "smoke"),
    ("replay",),
    ("replay", "no such case"),
    ("replay", "aaaa", "--run"),
    ("compare", "latest"),
    ("list", "--suite", "smok"),
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_wrong_invocation_is_answered_in_chinese(words, capsys, tmp_path, monkeypatch):
    """With ``--lang zh`` the whole line is Chinese: no English word is left that is not the user's or an option's."""
    monkeypatch.chdir(tmp_path)
    assert main(["--lang", "zh", *words]) == 2
    line = capsys.readouterr().err
    set_language(None)
    assert line.startswith("bsa-verify: ")
    assert line.count("\n") == 1
    said = re.sub(r"“[^”]*”|--?[a-z-]+|bsa-verify( [a-z]+)?|\b(RUN|CASE|COMMAND|B|latest|CASE)\b", "", line)
    said = re.sub(r"可选项 .* 之中", "", said)
    assert re.search("[\u4e00-\u9fff]", said), line
    assert not re.search(r"\b(the|is|no|none|of|are|expected|argument|not|unknown|required|see)\b", said), line


def test_help_is_chinese(capsys):
    """Headings, usage and the line about help itself are in the language, too."""
    with pytest.raises(SystemExit):
        main(["--lang", "zh", "run", "--help"])
    text = capsys.readouterr().out
    set_language(None)
    assert text.startswith("用法：bsa-verify run ")
    assert "显示帮助并退出" in text
    assert not re.search(r"^(usage|options|positional arguments|optional arguments)", text, re.MULTILINE)


def test_a_dut_named_alone_is_run_with_its_own_suites():
    """Whoever binds a kernel names suites as he likes: none of ours has to be among them, and nightly ones stay out."""
    duts = find_duts()
    toy, ours = duts["toy.double"], duts["bsa.forward"]
    nightly = replace(toy.suites()[1], nightly=True)
    own = SimpleNamespace(name="toy.double", suites=lambda: (toy.suites()[0], nightly))
    chosen = {"toy.double": own, "bsa.forward": ours}

    def suites(*names):
        return {name for entry in select(chosen, run_mode="sim", dut_names=names) for name in entry.suites}

    assert suites("toy.double") == {"toy"}
    assert suites("toy.double", "bsa.forward") == {"toy"} | suites("bsa.forward")
    assert suites() == suites("bsa.forward") <= set(DEFAULT_SUITES)
