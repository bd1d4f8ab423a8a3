"""``hello``: good only if the good kernel passed and the faulty one was caught."""

import pytest

from verification.backends.fake import FakeBackend
from verification.cli import hello_command, main


@pytest.mark.parametrize(
    ("behaviours", "code", "said"),
    [
        (["run", "zeros"], 0, "the fault was caught. Next:\n  bsa-verify run --suite smoke"),
        (["run", "run"], 1, "Something is wrong"),
        (["zeros", "zeros"], 1, "Something is wrong"),
        (["crash", "zeros"], 1, "Something is wrong"),
        (["run", "crash"], 1, "Something is wrong"),
    ],
)
def test_answer(behaviours, code, said, capsys, monkeypatch):
    """Of the four ways it can go one is good; a fault that shows as a crash is not caught by the criterion."""
    fake = FakeBackend(behaviours={hello_command.CASE: behaviours})
    monkeypatch.setattr(hello_command, "open_backend", lambda name, options: fake)
    assert main(["hello"]) == code
    out, err = capsys.readouterr()
    assert said in out
    assert err == ""


def test_next_commands_exist():
    """What is to be typed next is understood by the parser."""
    import shlex

    from bsa.messages import catalogue
    from verification.cli import build_parser

    for language in ("en", "zh"):
        lines = catalogue(language).text("cli.hello.next").splitlines()[1:]
        assert len(lines) >= 3
        for line in lines:
            words = shlex.split(line.strip().split("  ")[0])
            assert words[0] == "bsa-verify"
            build_parser().parse_args(words[1:])
