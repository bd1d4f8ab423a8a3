"""A reason is one line, whatever it is made from."""

import pytest

from verification.one_line import LONGEST, one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("\n \n", ""),
        ("one clear line", "one clear line"),
        ("\n  blanks   and\ttabs  \n", "blanks and tabs"),
        ("first\nsecond", "first …"),
        ("ValueError:\n  of the next line", "ValueError: of the next line"),
        ("a:\nb:\nc\nd", "a: b: c …"),
        ("ends with a colon:", "ends with a colon:"),
        ("carriage\r\nreturn", "carriage …"),
    ],
)
def test_line(text, line):
    """Each kind of text."""
    assert one_line(text) == line


def test_long_line_is_cut():
    """Its length is bounded, and it shows that something is missing."""
    found = one_line("x" * 10_000)
    assert len(found) == LONGEST
    assert found.endswith("x…")
