"""A modified copy of PyPTO: its changed limit is seen, beside what the installed one was accepted with."""

import os
from pathlib import Path

import pypto

from verification.cli import qualify_command as qualify
from verification.cli.candidate import of_folder

LIFTED = """
    if len(size) == 2 and isinstance(size[0], (list, tuple)):
        shape, dtype = list(size[0]), size[1]
    return full(shape, 0.0, dtype)
"""
"""In place of the end of ``pypto.zeros``: a list of sizes and a dtype beside it are accepted (limit 20)."""


def _copy(folder):
    """PyPTO's package with one file of its own and links to all others."""
    original = Path(pypto.__file__).parent
    for path in original.rglob("*"):
        target = folder / "pypto" / path.relative_to(original)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif "__pycache__" not in path.parts:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
    changed = folder / "pypto" / "op" / "creation.py"
    source = changed.read_text(encoding="utf-8")
    start = source.index("    zero_element =", source.index("def zeros("))
    end = source.index("\n", source.index("return pypto_impl.Full", start))
    changed.unlink()
    changed.write_text(source[:start] + LIFTED + source[end:], encoding="utf-8")


def test_changed_limit_of_a_copy_is_seen(tmp_path, capfd):
    """LIFTED where ACTIVE was accepted, and exit code 1."""
    _copy(tmp_path)
    candidate = of_folder(str(tmp_path))
    assert qualify._internals(candidate) == []
    assert qualify._verify({**os.environ, **candidate.environ, "LANG": "C.UTF-8"}, "limits", "20") == 1
    said = capfd.readouterr().out
    assert "LIFTED   list-and-dtype" in said
    assert "expected: ACTIVE" in said
