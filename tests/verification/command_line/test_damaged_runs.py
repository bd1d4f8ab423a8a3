"""A run whose files somebody damaged, or that another version wrote: one line that names the file, no traceback."""

import json
import shutil

import pytest

from tests.support import runs
from verification.cli import main

PLAN, RECORDS, MANIFEST = "plan.json", "records.jsonl", "manifest.jsonl"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run in which nothing is wrong."""
    folder = tmp_path_factory.mktemp("whole")
    words = ("run", "--backend", "fake", "--dut", "toy.double", "--suite", "toy", "-n", 1)
    assert runs.bsa_verify(*words, "--out", "out/whole", cwd=folder).returncode == 0
    return folder / "out" / "whole"


def _plan(**changes):
    return lambda text: json.dumps({**json.loads(text), **changes})


def _more(line):
    return lambda text: f"{text}{line}\n"


def _record(**changes):
    return lambda text: text + json.dumps({**json.loads(text.splitlines()[0]), "attempt": 9, **changes}) + "\n"


DAMAGES = {
    "plan is empty": (PLAN, lambda _: ""),
    "plan is no object": (PLAN, lambda _: "[]"),
    "plan is cut short": (PLAN, lambda text: text[: len(text) // 2]),
    "plan has nothing but a schema": (PLAN, lambda _: '{"schema": 1}'),
    "plan of another version": (PLAN, _plan(schema=99)),
    "plan with a field of another version": (PLAN, _plan(news=1)),
    "plan without cases": (PLAN, _plan(entries=None)),
    "plan with a case that is none": (PLAN, _plan(entries=[{}])),
    "plan with another budget": (PLAN, _plan(budget={"hours": 1})),
    "record that is no object": (RECORDS, _more("7")),
    "record of another version": (RECORDS, _record(schema=99)),
    "record with a verdict that there is not": (RECORDS, _record(verdict="FINE")),
    "record with outputs that are none": (RECORDS, _record(outputs=7)),
    "records are gone": (RECORDS, lambda _: ""),
    "event that is no object": (MANIFEST, _more("[]")),
    "event without a chain": (MANIFEST, _more("{}")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_one_line_names_the_file(whole, tmp_path, monkeypatch, capsys, damage):
    """From every command that reads it; exit code 2 or 4, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    bad = tmp_path / "out" / "bad"
    shutil.copytree(whole, bad)
    name, change = DAMAGES[damage]
    (bad / name).write_text(change((bad / name).read_text(encoding="utf-8")), encoding="utf-8")
    before = {path.name: path.read_bytes() for path in bad.iterdir()}
    for words in (
        ("report", "out/bad"),
        ("run", "--resume", "latest", "-n", "1"),
        ("compare", str(whole), "out/bad"),
        ("merge", "out/bad", str(whole)),
        ("coverage", "out/bad"),
        ("kernel-coverage", "out/bad"),
        ("replay", "rows 64", "--run", "out/bad"),
    ):
        assert main(words) in (2, 4), words
        out, err = capsys.readouterr()
        assert out == "", words
        assert err.count("\n") == 1, words
        assert f"out/bad/{name}" in err, words
    assert {path.name: path.read_bytes() for path in bad.iterdir()} == before
