"""``bsa-verify qualify``: mistakes, a PyPTO that lacks what we touch, and how processes get to see the candidate."""

import argparse
import subprocess
import sys

import pytest

from verification.cli import qualify_command as qualify
from verification.cli.main import main
from verification.limits.internals import _has


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "give one of"),
        (["pypto==0.1.3", "--system"], "give one of"),
        (["pypto>=0.1"], "is not of that form"),
        (["--pypto", "nowhere"], "holds no package"),
        (["--system", "--accept"], "--by NAME"),
    ],
)
def test_mistakes_are_usage_errors(arguments, why, capsys):
    """Before anything is installed or run."""
    assert main(["qualify", *arguments, "--lang", "en"]) == 2
    assert why in capsys.readouterr().err


def test_candidate_without_our_internals_is_unusable(tmp_path, capsys):
    """Each missing name is said, and nothing else is run."""
    package = tmp_path / "pypto"
    package.mkdir()
    (package / "__init__.py").write_text("class RunMode:\n    SIM = 1\n", encoding="utf-8")
    assert main(["qualify", "--pypto", str(tmp_path), "--lang", "en"]) == 4
    said = capsys.readouterr().out
    assert "pypto.pypto_impl.SetVerifyData" in said
    assert "lib/calculator" in said
    assert "pypto.RunMode.SIM" not in said
    assert "cannot be used" in said


def test_candidate_that_cannot_be_imported_says_why(tmp_path, capsys):
    """The last line of its error."""
    (tmp_path / "pypto").mkdir()
    (tmp_path / "pypto" / "__init__.py").write_text("raise ImportError('no libc_sec')\n", encoding="utf-8")
    assert main(["qualify", "--pypto", str(tmp_path / "pypto"), "--lang", "en"]) == 4
    assert "no libc_sec" in capsys.readouterr().out


def test_processes_see_the_folder_first(tmp_path):
    """Its version is the one of its own metadata, and is allowed."""
    (tmp_path / "pypto").mkdir()
    (tmp_path / "pypto" / "__init__.py").touch()
    info = tmp_path / "pypto-7.8.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pypto\nVersion: 7.8.9\n", encoding="utf-8")
    arguments = argparse.Namespace(system=False, pypto=str(tmp_path), release=None)
    candidate = qualify._candidate(arguments)
    assert candidate.version == "7.8.9"
    assert candidate.environ["PYTHONPATH"].split(":")[0] == str(tmp_path)
    assert candidate.environ["BSA_ALLOW_PYPTO_VERSION"] == "7.8.9"


def test_verdict_needs_limits_and_suites(tmp_path, capsys, monkeypatch):
    """Either of them alone changes it."""
    monkeypatch.setattr(qualify, "_internals", lambda _candidate: [])
    for limits, suites, code in ((0, 0, 0), (1, 0, 1), (0, 1, 1)):
        monkeypatch.setattr(qualify, "_verify", lambda *_words, code=limits: code)
        monkeypatch.setattr(qualify, "_suites", lambda *_words, code=suites, **_options: code)
        assert main(["qualify", "--system", "--lang", "en"]) == code
    assert capsys.readouterr().out.count("verdict: as accepted") == 1


def test_installed_pypto_has_everything():
    """The list is not longer than what is there."""
    done = subprocess.run(
        [sys.executable, "-m", "verification.limits.internals"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_missing_names_are_noticed():
    """A module, an attribute and an attribute of an attribute."""
    assert _has("argparse", "ArgumentParser.parse_args")
    assert not _has("argparse", "ArgumentParser.no_such")
    assert not _has("no_such_module", "name")
