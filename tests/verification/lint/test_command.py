"""``bsa-verify lint`` on files: output, exit codes, mistakes."""

import os

import pytest

from verification.cli.main import main

WRONG = """
import pypto

@pypto.frontend.jit()
def kernel(x: pypto.Tensor([64, 128], pypto.DT_FP32), y: pypto.Tensor([64, 128], pypto.DT_FP32)):
    y[:] = x
"""
SCALAR = WRONG.replace("y[:] = x", "y[:] = pypto.where(x, x, 0.0)")


@pytest.fixture
def run(tmp_path, capsys):
    def run(*texts, options=()):
        paths = []
        for number, text in enumerate(texts):
            path = tmp_path / f"kernel{number}.py"
            path.write_text(text, encoding="utf-8")
            paths.append(str(path))
        code = main(["lint", *paths, *options, "--lang", "en"])
        return code, capsys.readouterr()

    return run


def test_error_ends_with_one(run):
    """File, line, limit, rule, what it surfaces as and what to write instead."""
    code, said = run(WRONG, options=("--pypto", "0.2.0"))
    assert code == 1
    assert "kernel0.py:6:5: error limit 21 copied-input: y[:] = x; surfaces as: wrong numbers" in said.out
    assert "pypto.clone(x)" in said.out
    assert "1 errors, 0 warnings (PyPTO 0.2.0)" in said.out


def test_warning_ends_with_zero(run):
    """So that a pre-commit hook lets it pass."""
    code, said = run(SCALAR, options=("--pypto", "0.2.0"))
    assert code == 0
    assert "warning limit 5 where-scalar" in said.out


def test_file_that_is_no_python(run):
    """One line, with the place."""
    code, said = run("def (:\n")
    assert code == 2
    assert "kernel0.py:1: not Python" in said.err


ODD = {
    "a null byte": (b"x = 1\x00\n", "1: not Python"),
    "not UTF-8": (b'x = "\xe9"\n', "invalid or missing encoding declaration"),
    "an unknown encoding": (b"# -*- coding: nonsense -*-\n", "unknown encoding"),
    "deep nesting": (b"x = " + b"(" * 3000 + b")" * 3000, "too many nested parentheses"),
    "a long expression": (b"x = " + b"+".join([b"1"] * 20000), "nested too deeply"),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_file_is_a_usage_error(tmp_path, capsys, what):
    """One line with the file and what is the matter, and no count of errors."""
    content, why = ODD[what]
    path = tmp_path / "odd.py"
    path.write_bytes(content)
    assert main(["lint", str(path), "--lang", "en"]) == 2
    said = capsys.readouterr()
    assert why in said.err
    assert str(path) in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xef\xbb\xbfx = 1\n",
        b"x = 1\r\ny = 2\r\n",
        b'# -*- coding: latin-1 -*-\nx = "\xe9"\n',
        b"x = 1\n" * 50000,
    ],
    ids=["empty", "byte-order mark", "Windows line ends", "encoding that it names", "large"],
)
def test_unusual_file_is_read(tmp_path, capsys, content):
    """As Python reads it."""
    path = tmp_path / "unusual.py"
    path.write_bytes(content)
    assert main(["lint", str(path), "--lang", "en"]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out


def test_pipe_and_empty_folder(tmp_path, capsys):
    """What holds no Python is not waited for, and not called clean."""
    os.mkfifo(tmp_path / "pipe.py")
    assert main(["lint", str(tmp_path / "pipe.py"), "--lang", "en"]) == 2
    assert "not a regular file" in capsys.readouterr().err
    (tmp_path / "nothing").mkdir()
    assert main(["lint", str(tmp_path / "nothing"), "--lang", "en"]) == 2
    assert "there is no Python file in" in capsys.readouterr().err


def test_missing_file(capsys):
    """A usage error."""
    assert main(["lint", "nowhere.py", "--lang", "en"]) == 2
    assert "FILE: nowhere.py" in capsys.readouterr().err


def test_unknown_version(run):
    """The known ones are named."""
    code, said = run(WRONG, options=("--pypto", "0.2.1"))
    assert code == 2
    assert "0.2.0" in said.err
