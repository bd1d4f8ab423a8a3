"""``report``: the pages of a run, made again from its records."""

import json

FILES = ("index.html", "report.md", "junit.xml", "report.json")


def test_written_again(shell):
    """The four files come back as they were, whatever the run's verdict: 0, the page was made."""
    assert shell(*shell.fake(rows_64="zeros")).returncode == 1
    (folder,) = shell.cwd.glob("out/*")
    before = {name: (folder / name).read_text() for name in FILES}
    for name in FILES:
        (folder / name).unlink()
    for run in ("latest", folder.name, folder.name[:13], f"out/{folder.name}"):
        done = shell("report", run)
        assert (done.returncode, done.stderr) == (0, ""), run
        assert done.stdout.splitlines()[-1] == "2 passed, 1 failed"
        assert "report: out/" in done.stdout
    assert {name: (folder / name).read_text() for name in FILES if name != "index.html"} == {
        name: text for name, text in before.items() if name != "index.html"
    }
    assert "toy.double" in (folder / "index.html").read_text()


def test_in_the_other_language(shell):
    """``--lang zh`` makes the page Chinese; report.json stays what programs read."""
    assert shell(*shell.fake()).returncode == 0
    (folder,) = shell.cwd.glob("out/*")
    before = json.loads((folder / "report.json").read_text())
    assert shell("report", "latest", "--lang", "zh").returncode == 0
    assert 'lang="zh-CN"' in (folder / "index.html").read_text()
    assert json.loads((folder / "report.json").read_text()) == before


def test_a_damaged_journal_is_said(shell):
    """A record that was edited after it was written is found: one line, exit code 4, the old pages stay."""
    assert shell(*shell.fake(rows_64="zeros")).returncode == 1
    (folder,) = shell.cwd.glob("out/*")
    records = folder / "records.jsonl"
    records.write_text(records.read_text().replace('"FAIL"', '"PASS"'))
    page = (folder / "index.html").read_text()
    done = shell("report", "latest")
    assert done.returncode == 4
    assert "changed or gone" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (folder / "index.html").read_text() == page
