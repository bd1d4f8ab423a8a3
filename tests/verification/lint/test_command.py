"""``bsa-verify lint`` on files: output, exit codes, mistakes."""

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


def test_missing_file(capsys):
    """A usage error."""
    assert main(["lint", "nowhere.py", "--lang", "en"]) == 2
    assert "FILE: nowhere.py" in capsys.readouterr().err


def test_unknown_version(run):
    """The known ones are named."""
    code, said = run(WRONG, options=("--pypto", "0.2.1"))
    assert code == 2
    assert "0.2.0" in said.err
