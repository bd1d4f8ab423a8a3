"""``merge``: one report over several runs; what disagrees is FLAKY, what cannot be compared is refused."""

import json

import pytest


@pytest.fixture
def halves(shell):
    """Two runs of one suite, each of some cases, one of them in both."""
    assert shell(*shell.fake("--out", "out/a", "--cases", "rows 64", "rows 128")).returncode == 0
    assert shell(*shell.fake("--out", "out/b", "--cases", "rows 128", "rows 192")).returncode == 0


def _report(shell, folder="out/merged"):
    report = json.loads((shell.cwd / folder / "report.json").read_text())
    return report, {case["name"]: case["verdict"] for case in report["cases"]}


def test_union(shell, halves):
    """Every case once, every record, in any order of the runs; the runs stay as they are."""
    before = {path: path.read_bytes() for path in (shell.cwd / "out").rglob("*") if path.is_file()}
    done = shell("merge", "out/a", "out/b")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "toy: 3/3, 0 multi-block",
        "3 passed, 0 failed",
        "report: out/merged/index.html",
    ]
    report, verdicts = _report(shell)
    assert verdicts == dict.fromkeys(("rows 64", "rows 128", "rows 192"), "PASS")
    assert {case["name"]: case["attempts"] for case in report["cases"]}["rows 128"] == 2
    shell("merge", "out/b", "out/a", "out/b", "--out", "out/again")
    assert _report(shell, "out/again")[1] == verdicts
    page = (shell.cwd / "out/merged/index.html").read_text()
    assert page.count('class="json" data-record=') == 4
    assert {path: path.read_bytes() for path in before} == before
    assert not (shell.cwd / "out/merged/plan.json").exists()


def test_attempts_of_two_runs_do_not_launder(shell, halves):
    """A case that failed in one run and passed in another is FLAKY; the page was made, so the exit code is 0."""
    assert shell(*shell.fake("--out", "out/c", "--cases", "rows 64", rows_64="zeros")).returncode == 1
    done = shell("merge", "out/a", "out/c")
    assert done.returncode == 0
    assert _report(shell)[1]["rows 64"] == "FLAKY"
    assert "1 passed, 1 failed" in done.stdout


def test_what_is_never_compared_is_refused(shell, halves):
    """Another pass filter: one line, exit code 2, nothing written."""
    assert shell(*shell.fake("--out", "out/c", "--passes", "all", "--cases", "rows 64")).returncode in (0, 1)
    for words, said in (
        (("out/a", "out/c"), "pass_filter is 'all', 'none'"),
        (("out/a", "nowhere"), "names no run"),
    ):
        done = shell("merge", *words, "--out", "out/refused")
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    assert not (shell.cwd / "out/refused").exists()
