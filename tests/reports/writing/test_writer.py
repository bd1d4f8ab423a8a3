"""One writer writes all four files, whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bsa.messages import catalogue
from reports import writer
from reports.writer import write_all
from tests.reports import samples

FILES = ("index.html", "report.md", "junit.xml", "report.json")
KINDS = ("passing", "failing", "synthetic", "empty", "unstarted", "nan", "injection")


@pytest.mark.parametrize("kind", KINDS)
def test_all_four_files_of_every_kind_of_run(kind: str, tmp_path: Path) -> None:
    """Nothing else is left behind, and every file is UTF-8."""
    written = write_all(getattr(samples, f"{kind}_run")(), tmp_path / "new" / "folder", messages=catalogue("zh"))
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in written[0].parent.iterdir()) == sorted(FILES)
    assert all(path.read_bytes().decode("utf-8").endswith("\n") for path in written)


def test_writing_again_replaces(tmp_path: Path) -> None:
    """A report can be made again over an old one."""
    write_all(samples.failing_run(), tmp_path, messages=catalogue("en"))
    write_all(samples.passing_run(), tmp_path, messages=catalogue("en"))
    assert "Yes: 10 of 10 cases passed." in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_half_characters_do_not_stop_the_report(tmp_path: Path) -> None:
    """A lone surrogate, as undecodable bytes leave it in text, is written as its escape."""
    (one,) = samples.published_entries()[:1]
    run = samples.run((one,), [samples.empty_record(one, "CRASH", "bad \udcff byte", stderr_tail="\udcff")])
    write_all(run, tmp_path, messages=catalogue("en"))
    assert "bad \\udcff byte" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If replacing fails, the old report is still there and no temporary file is."""
    write_all(samples.passing_run(), tmp_path, messages=catalogue("en"))
    before = (tmp_path / "index.html").read_bytes()

    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(writer.Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_all(samples.failing_run(), tmp_path, messages=catalogue("en"))
    assert (tmp_path / "index.html").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)


def test_bytes_do_not_depend_on_the_process(tmp_path: Path) -> None:
    """Two processes with different hash seeds write the same bytes."""
    program = (
        "import sys; from pathlib import Path; from bsa.messages import catalogue; from reports import write_all; "
        "from tests.reports import samples; "
        "write_all(samples.failing_run(), Path(sys.argv[1]), messages=catalogue('en'))"
    )
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / seed)],
            check=True,
            cwd=Path(__file__).parents[3],
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin", "TZ": f"UTC+{seed}"},
        )
    assert [(tmp_path / "1" / name).read_bytes() for name in FILES] == [
        (tmp_path / "2" / name).read_bytes() for name in FILES
    ]
