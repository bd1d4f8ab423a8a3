"""The script for a card: whole by itself, and what it brings home is read with care."""

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.support.commands import ROOT
from verification.cli.main import main
from verification.limits import LIMITS, expectation
from verification.limits.card import card_script, with_answers
from verification.limits.expectation import Expectation, Finding

EXPECTATION = Expectation(pypto="0.2.0", findings={("sim", 2, "bare-if"): Finding(status="WORKS")})


def _answers(**changes):
    found = [{"limit": 5, "probe": "scalar-branch", "status": "ACTIVE", "evidence": "CCE failed"}]
    data = {"schema": 1, "mode": "npu", "device": "npu", "pypto": "0.2.0", "findings": found}
    return json.dumps({**data, **changes})


def test_script_imports_nothing_of_ours_but_what_it_brings(tmp_path):
    """It runs in a folder with no project, and its probes are all there."""
    script = tmp_path / "limits_card.py"
    script.write_text(card_script(), encoding="utf-8")
    imports = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(card_script()))
        for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [])
    }
    assert imports <= {
        "argparse",
        "json",
        "os",
        "re",
        "subprocess",
        "sys",
        "tempfile",
        "time",
        "pypto",
        "torch",
        "torch_npu",
    }
    listing = (
        "import json, sys, tempfile, pathlib\n"
        "namespace = {'__name__': 'card', '__file__': sys.argv[1]}\n"
        "exec(compile(open(sys.argv[1]).read(), sys.argv[1], 'exec'), namespace)\n"
        "folder = pathlib.Path(tempfile.mkdtemp(dir='.'))\n"
        "for name, text in namespace['SOURCES'].items():\n"
        "    path = folder / name\n"
        "    path.parent.mkdir(parents=True, exist_ok=True)\n"
        "    path.write_text(text)\n"
        "sys.path[:0] = [str(folder)]\n"
        "from verification.limits.registry import LIMITS\n"
        "import verification\n"
        "assert str(folder) in verification.__file__\n"
        "print(json.dumps([[n, p.name] for n, limit in LIMITS.items() for p in limit.probes]))\n"
    )
    command = [sys.executable, "-I", "-c", listing, str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[n, probe.name] for n, limit in LIMITS.items() for probe in limit.probes]


def test_answers_join_the_expectation():
    """Beside what sim showed."""
    joined, count = with_answers(EXPECTATION, _answers())
    assert count == 1
    assert joined.finding("npu", 5, "scalar-branch") == Finding(status="ACTIVE", evidence="CCE failed")
    assert joined.finding("sim", 2, "bare-if").status == "WORKS"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"device": "cpu"}, "not on a card"),
        ({"pypto": "0.1.3"}, "of pypto '0.1.3'"),
        ({"schema": 2}, "not written by the script"),
        ({"findings": [{"limit": 99, "probe": "x", "status": "ACTIVE", "evidence": ""}]}, "limit 99"),
        ({"findings": [{"limit": 2, "probe": "bare-if", "status": "FINE", "evidence": ""}]}, "'FINE'"),
    ],
)
def test_other_answers_are_refused(changes, why):
    """What was not asked on a card of this version signs nothing."""
    with pytest.raises(ValueError, match=why):
        with_answers(EXPECTATION, _answers(**changes))


@pytest.mark.parametrize("option", ["--card-script", "--import"])
def test_file_that_cannot_be_used_names_the_option(tmp_path, capsys, option):
    """A folder, or one that is not there."""
    for path in (tmp_path, tmp_path / "nowhere" / "file.json"):
        assert main(["limits", option, str(path), "--lang", "en"]) == 2
        assert f"{option}: {path}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [((), 4, "not installed here: torch_npu"), (("--device", "cpu", "--limits", "99"), 2, "there is no limit 99")],
)
def test_what_cannot_be_asked_is_said_at_once(tmp_path, arguments, code, why):
    """Before any probe, in one line; nothing is written."""
    script = tmp_path / "limits_card.py"
    script.write_text(card_script(), encoding="utf-8")
    command = [sys.executable, "-I", str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1
    assert why in done.stderr
    assert list(tmp_path.iterdir()) == [script]


def test_from_the_first_probe_to_the_import_of_what_it_wrote(tmp_path, monkeypatch, capsys):
    """On a stand-in for the card, the simulator: its answers are the simulator's, and the import takes them."""
    script, accepted = tmp_path / "limits_card.py", tmp_path / "expected"
    script.write_text(card_script(), encoding="utf-8")
    shutil.copytree(expectation.folder(), accepted)
    monkeypatch.setattr(expectation, "folder", lambda: accepted)
    monkeypatch.setattr("verification.cli.limits_command.folder", lambda: accepted)
    done = subprocess.run(
        [sys.executable, str(script), "--limits", "2", "8"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support" / "card")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert main(["limits", "--import", str(tmp_path / "limits_card.json"), "--lang", "en"]) == 0, (
        capsys.readouterr().err
    )
    known = expectation.expectation_for("0.2.0")
    asked = [(number, probe.name) for number in (2, 8) for probe in LIMITS[number].probes]
    assert f"{len(asked)} answers" in capsys.readouterr().out
    for number, name in asked:
        assert known.finding("npu", number, name).status == known.finding("sim", number, name).status, (number, name)
