"""Every command in README and docs works; slow ones are checked for being understood."""

from __future__ import annotations

import ast
import configparser
import re
import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.project.docs.blocks import Block, blocks
from verification.cli.main import COMMANDS, build_parser
from verification.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

RUNNABLE = [
    page
    for page in PAGES
    if ".zh-CN" not in page.name and page.parent.name != "zh"
    if any(one.language in {"bash", "python"} and not one.mark for one in blocks(page))
]
"""Pages with commands to run; a translation has those of its original (tested in test_pages.py)."""

ORDINARY = {"cd", "git", "cp", "sed", "sudo", "source", "export", "python3", "python", "pip", "docker", ".venv/bin/pip"}
"""Programs of the reader's machine: what they do with their arguments is theirs."""


def _understood(words: list[str], root: Path) -> bool:
    """Whether a command exists and accepts its arguments."""
    program = words[0].removeprefix(".venv/bin/").removeprefix(".tox/py/bin/")
    if program == "bsa-verify":
        build_parser().parse_args(words[1:])
        return True
    if program == "tox":
        settings = configparser.ConfigParser(interpolation=None)
        settings.read(root / "tox.ini", encoding="utf-8")
        own, _, passed = " ".join(words[1:]).partition(" -- ")
        names = own.replace("-e", "").split(",")
        if passed and "sim" in own:
            build_parser().parse_args(["run", *words[words.index("--") + 1 :]])
        return all(f"testenv:{name.strip()}" in settings for name in names)
    if program == "pytest":
        return all((root / word).exists() for word in words[1:] if word.startswith("tests/"))
    return program in ORDINARY or words[0] in ORDINARY


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_is_understood(page: Path, root: Path) -> None:
    """Each program is known and takes its arguments, and each Python block compiles."""
    found = blocks(page)
    assert page.read_text(encoding="utf-8").count("\n```") == 2 * len(found), f"{page.name}: a block does not end"
    for block in found:
        if block.language == "bash" and block.mark != "example":
            wrong = [" ".join(words) for words in block.commands() if not _understood(words, root)]
            assert not wrong, f"{block.place}: {wrong}"
        if block.language == "python":
            ast.parse(dedent(block.text), filename=block.place)


OUTLINES = re.compile(r"ARGUMENTS|COMMAND|参数|.*…|\[.*|N")
"""Words that stand for what the reader chooses: a command with one of them is not whole."""


def _inline(page: Path) -> list[str]:
    """Commands of ours within a sentence or a table, outlines left out."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(page):
        text = text.replace(block.text, "")
    found = re.findall(r"`((?:bsa-verify|tox) [^`]+)`", text)
    return [" ".join(one.split()).replace("\\|", "|") for one in found if not any(map(OUTLINES.fullmatch, one.split()))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_in_a_sentence_is_understood(page: Path, root: Path) -> None:
    """What the text tells to type is understood as well; alternatives with a bar count one by one."""
    for line in _inline(page):
        for one in _alternatives(line):
            words = shlex.split(one)
            named = len(words) == 2 and words[1] in {*COMMANDS, "-vv"}  # the command as such, without its arguments
            assert named or _understood_in_part(words, root), f"{page.name}: {line}"


def _understood_in_part(words: list[str], root: Path) -> bool:
    """Whether a command is understood, or lacks only what a sentence may leave out."""
    try:
        return _understood(words, root)
    except UsageError as error:
        return "arguments are required" in str(error)


def _alternatives(line: str) -> list[str]:
    """``tox -e sim | test`` is two commands."""
    first, *others = line.split(" | ")
    start = first.rsplit(" ", 1)[0]
    return [first, *(f"{start} {other}" for other in others)]


def _run(block: Block, checkout: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euo", "pipefail", "-c"] if block.language == "bash" else [sys.executable, "-c"]
    return subprocess.run(
        [*command, block.text],
        cwd=checkout,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_runs(page: Path, checkout: Path, environment: dict[str, str]) -> None:
    """The blocks of a page that are not marked slow, run in order in a fresh checkout, end as the page says."""
    for block in blocks(page):
        if block.language in {"bash", "python"} and block.mark not in {"slow", "example"}:
            ended = _run(block, checkout, environment)
            assert ended.returncode == block.exit_code, f"{block.place}:\n{block.text}\n{ended.stdout[-4000:]}"
