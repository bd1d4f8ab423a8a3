"""The pages hang together: links lead somewhere, generated pages are current, both languages say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.docs.blocks import blocks
from verification.cli.pages import pages as generated
from verification.selection import DEFAULT_SUITES

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

TRANSLATED = {"README.md": "README.zh-CN.md", "docs/tutorial.md": "docs/zh/tutorial.md"}


def _anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, by the rule of Git forges."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere(root: Path, pages: list[Path]) -> None:
    """A relative link names a file or folder of the tree, and its anchor a heading there."""
    dead = []
    for page in pages:
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            if link.startswith(("http:", "https:")):
                continue
            target, _, anchor = link.partition("#")
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and anchor not in _anchors(path)):
                dead.append(f"{page.relative_to(root)}: {link}")
    assert not dead


def test_every_page_is_reachable(root: Path, pages: list[Path]) -> None:
    """Following links from README.md reaches every page."""
    todo, seen = [root / "README.md"], set()
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        links = LINK.findall(page.read_text(encoding="utf-8"))
        todo += [(page.parent / link.partition("#")[0]).resolve() for link in links if not link.startswith("http")]
    assert {str(page.relative_to(root)) for page in set(pages) - seen} == set()


@pytest.mark.parametrize("path", sorted(generated()))
def test_generated_pages_are_current(root: Path, path: str) -> None:
    """docs/reference equals what the parser, the record and the ledger say; else: python -m verification.cli.pages."""
    assert (root / "docs" / "reference" / path).read_text(encoding="utf-8") == generated()[path]


@pytest.mark.parametrize(("original", "translation"), TRANSLATED.items())
def test_translations_have_the_same_commands(root: Path, original: str, translation: str) -> None:
    """A Chinese page has the same code blocks as the English one, comments in them aside."""

    def commands(name: str) -> list[tuple[str, str, list[list[str]] | str]]:
        found = blocks(root / name)
        return [(one.language, one.mark, one.commands() if one.language == "bash" else "") for one in found]

    assert commands(translation) == commands(original)


@pytest.mark.parametrize(("page", "separator"), [("README.md", ", "), ("README.zh-CN.md", "、")])
def test_readmes_name_the_default_suites(root: Path, page: str, separator: str) -> None:
    """Both READMEs list what a run without --suite runs, in that order."""
    assert separator.join(DEFAULT_SUITES) in (root / page).read_text(encoding="utf-8")
