"""``bsa-verify qualify``: mistakes, a PyPTO that lacks what we touch, and how processes get to see the candidate."""

import subprocess
import sys
from pathlib import Path

import pytest

from verification.cli import candidate as installing
from verification.cli import qualify_command as qualify
from verification.cli.candidate import of_folder, of_release
from verification.cli.main import main
from verification.errors import EnvironmentMissingError
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
    candidate = of_folder(str(tmp_path))
    assert candidate.version == "7.8.9"
    assert candidate.environ["PYTHONPATH"].split(":")[0] == str(tmp_path)
    assert candidate.environ["BSA_ALLOW_PYPTO_VERSION"] == "7.8.9"


@pytest.mark.parametrize(
    ("limits", "suites", "accept", "what"),
    [
        (0, [], (), "verdict: as accepted"),
        (1, [], (), "it differs: limits are not as expected."),
        (0, ["cases are worse"], (), "it differs: cases are worse."),
        (1, ["cases are worse"], (), "it differs: limits are not as expected; cases are worse."),
        (1, [], ("--accept", "--by", "somebody"), "verdict: as accepted"),
    ],
)
def test_verdict_says_what_differs(capsys, monkeypatch, limits, suites, accept, what):  # noqa: PLR0917 - a table
    """Limits or suites alone change it; limits that somebody accepts do not."""
    monkeypatch.setattr(qualify, "_internals", lambda _candidate: [])
    monkeypatch.setattr(qualify, "_verify", lambda *_words: limits)
    monkeypatch.setattr(qualify, "_suites", lambda *_words, **_options: suites)
    assert main(["qualify", "--system", "--lang", "en", *accept]) == int("differs" in what)
    assert what in capsys.readouterr().out


class _Pip:
    """Stands for pip: what it leaves in the folder that it is given, and how it ends."""

    def __init__(self, files, code=0, stderr=""):
        self.files, self.code, self.stderr, self.calls = files, code, stderr, 0

    def __call__(self, command, **_options):
        self.calls += 1
        folder = Path(command[command.index("--target") + 1])
        for name in self.files:
            (folder / name).parent.mkdir(parents=True)
            (folder / name).write_text("", encoding="utf-8")
        if self.code is None:
            raise KeyboardInterrupt
        return subprocess.CompletedProcess(command, self.code, "", self.stderr)


def _with_pip(monkeypatch, pip):
    monkeypatch.setattr(installing.subprocess, "run", pip)
    return pip


def test_release_is_installed_once(tmp_path, monkeypatch):
    """The second time it is there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pip = _with_pip(monkeypatch, _Pip(["pypto/__init__.py"]))
    first, second = of_release("pypto==7.8.9"), of_release("pypto==7.8.9")
    assert pip.calls == 1
    assert first.environ["PYTHONPATH"] == second.environ["PYTHONPATH"]


@pytest.mark.parametrize("code", [None, 1])
def test_half_an_installation_is_none(tmp_path, monkeypatch, code):
    """A killed or failed pip leaves nothing that a later call would take for the release."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _with_pip(
        monkeypatch, _Pip(["pypto/half.py"], code, "ERROR: No matching distribution found\n[notice] update pip\n")
    )
    with pytest.raises(KeyboardInterrupt if code is None else EnvironmentMissingError) as caught:
        of_release("pypto==7.8.9")
    if code is not None:
        assert "pip cannot install pypto==7.8.9: No matching distribution found" in str(caught.value)
    left = tmp_path / "bsa-verification" / "qualify" / "install-7.8.9-killed"
    left.mkdir()
    _with_pip(monkeypatch, _Pip(["pypto/__init__.py"]))
    folder = Path(of_release("pypto==7.8.9").environ["PYTHONPATH"].split(":")[0])
    assert (folder / "pypto" / "__init__.py").is_file()
    assert not (folder / "pypto" / "half.py").exists()
    assert not left.exists()


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
