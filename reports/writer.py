"""The one writer: everything else returns text."""

from __future__ import annotations

from pathlib import Path

from bsa.messages import Catalogue
from reports import data, html, junit, markdown
from reports.view import view
from verification.drafts import draft_of
from verification.runs import Run

HTML_FILE = "index.html"
MARKDOWN_FILE = "report.md"
JUNIT_FILE = "junit.xml"
JSON_FILE = "report.json"


def write_all(run: Run, folder: Path, *, messages: Catalogue | None = None) -> tuple[Path, ...]:
    """Writes all four reports of a run; a reader never sees half a file.

    Args:
        run: the run to report.
        folder: where to write; made if missing.
        messages: the language; the one of this process if None.

    Returns:
        The files written, the page first.

    Raises:
        OSError: the folder cannot be written.
    """
    shown = view(run)
    texts = {
        HTML_FILE: html.render(shown, messages=messages),
        MARKDOWN_FILE: markdown.render(shown, messages=messages),
        JUNIT_FILE: junit.render(shown),
        JSON_FILE: data.render(shown),
    }
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_write(folder / name, text) for name, text in texts.items())


def _write(path: Path, text: str) -> Path:
    """Replaces a file in one step."""
    with draft_of(path, text) as draft:
        draft.replace(path)
    return path
