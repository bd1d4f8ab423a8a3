"""Every wrong invocation gives one helpful line on standard error and exit code 2."""

import pytest

from tests.support import runs
from verification.cli import main

WRONG = [
    ((), "COMMAND"),
    (("rnu",), "did you mean 'run'?"),
    (("run", "--siute", "smoke"), "did you mean '--suite'?"),
    (("run", "--suite", "publshed"), "did you mean 'published'?"),
    (("run", "--suite"), "expected at least one argument"),
    (("run", "--dut", "bsa.foward"), "did you mean 'bsa.forward'?"),
    (("run", "--cases", "S256 Spares50"), "did you mean 'S256 Sparse50'?"),
    (("run", "--suite", "published", "--cases", "quik"), "did you mean 'quick'?"),
    (("run", "--run-mode", "npux"), "did you mean 'npu'?"),
    (("run", "-n", "0"), "whole number of 1 or more"),
    (("run", "-n", "two"), "whole number of 1 or more"),
    (("run", "--timeout", "-1"), "number above 0"),
    (("run", "--timeout", "nan"), "number above 0"),
    (("run", "--memory", "6X"), "write for example 800M or 6G"),
    (("run", "--passes", "some"), "none, default, all"),
    (("run", "--resume", "nowhere"), "names no run"),
    (("run", "--suite", "toy", "--dut", "toy.double", "--backend", "fake", "--out", __file__), "is a file"),
    (("run", "--resume", "nowhere", "--suite", "smoke"), "leave out --suite"),
    (("run", "--backend", "fake", "--behaviours", "absent.json"), "absent.json"),
    (("replay",), "CASE"),
    (("replay", "no such case"), "no such case"),
    (("replay", "S256 Sparse50", "--run", "nowhere"), "names no run"),
    (("replay", "S256 Sparse50"), "'bsa.forward:S256 Sparse50'"),
    (("replay", "bsa.forward:S256 Sparse5"), "did you mean 'bsa.forward:S256 Sparse50'?"),
    (("replay", "dense", "--dut", "bsa.forwrd"), "did you mean 'bsa.forward'?"),
    (("run", "--baseline", "nowhere"), "names no run"),
    (("merge",), "required: RUN"),
    (("merge", "nowhere"), "names no run"),
    (("report", "nowhere"), "names no run"),
    (("compare", "latest"), "required: B"),
    (("compare", "nowhere", "latest"), "names no run"),
    (("list", "--suite", "smok"), "did you mean 'smoke'?"),
    (("clean", "--older-than", "zero"), "number above 0"),
    (("doctor", "now"), "unknown argument 'now'"),
    (("--lang", "fr", "list"), "en, zh"),
]


@pytest.mark.parametrize(
    ("arguments", "help_"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_one_helpful_line(arguments, help_, capsys, tmp_path, monkeypatch):
    """The line names what is wrong and what would be right."""
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("bsa-verify: ")
    assert help_ in err
    assert list(tmp_path.iterdir()) == []


def test_whole_process_ends_with_2(tmp_path):
    """The exit code is the process's, and no traceback is shown."""
    done = runs.exec_bsa_verify("run", "--suite", "nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
