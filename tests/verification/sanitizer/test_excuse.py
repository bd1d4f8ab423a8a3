"""A finding is excused by a reason at its statement, for its own class, and by nothing else."""

import linecache

import pytest

from verification.sanitizer.finding import excuse


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("# sanitizer: written-twice: the second pass overwrites on purpose", "the second pass overwrites on purpose"),
        ("#sanitizer:written-twice:why", "why"),
        ("# sanitizer: written-twice:", ""),
        ("# sanitizer: written-twice", ""),
        ("# sanitizer: padding: the other class", ""),
        ("# noqa", ""),
    ],
)
def test_excuse(tmp_path, comment, reason):
    file = tmp_path / "kernel.py"
    file.write_text(f"first(\n    second,  {comment}\n)\nthird()\n")
    linecache.checkcache(str(file))
    assert excuse("written-twice", str(file), 1, 3) == reason
    assert excuse("written-twice", str(file), 4, 4) == ""
