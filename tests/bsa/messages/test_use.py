"""Every key that the code uses exists, and every key that exists is used."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from bsa.messages import catalogue

ROOT = Path(__file__).parents[3]
PACKAGES = ("bsa", "stimuli", "verification", "reports")
KEYS = frozenset(catalogue("en").messages)
AREAS = sorted({key.partition(".")[0] for key in KEYS})
LOOKS_LIKE_KEY = re.compile(rf"(?:{'|'.join(AREAS)})\.[\w.-]*")
FILE_NAME = re.compile(r".*\.(json|md)")
"""``report.md`` is a file; a message may end so too, if it exists."""
FILLED = "\0"
"""Stands for the part of a key that is made at run time."""


def _in_python(path: Path) -> list[str]:
    """Strings that look like keys, with FILLED for what an f-string fills."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for node in joined for part in node.values}
    found = [
        "".join(part.value if isinstance(part, ast.Constant) else FILLED for part in node.values) for node in joined
    ]
    found += [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside
    ]
    keys = [text for text in found if LOOKS_LIKE_KEY.fullmatch(text.replace(FILLED, "x"))]
    return [text for text in keys if text in KEYS or not FILE_NAME.fullmatch(text)]


def _in_template(path: Path) -> list[str]:
    """Arguments of t(...) and tn(...), with FILLED for what ~ joins to them."""
    calls = re.findall(r"""\btn?\((?:"([\w.-]+)"|'([\w.-]+)')\s*(~?)""", path.read_text(encoding="utf-8"))
    return [(double or single) + (FILLED if more else "") for double, single, more in calls]


def _in_script(path: Path) -> list[str]:
    """Arguments of say(...) in the page's script."""
    calls = re.findall(r"""\bsay\(["`]([\w.]+)(\$?)""", path.read_text(encoding="utf-8"))
    return [f"report.script.{key}{FILLED if more else ''}" for key, more in calls]


def _uses() -> dict[str, str]:
    """Key or pattern → the file that uses it."""
    readers = {".py": _in_python, ".html": _in_template, ".js": _in_script}
    return {
        use: path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*"))
        if path.suffix in readers
        for use in readers[path.suffix](path)
    }


def _fitting(use: str) -> set[str]:
    """The keys that a use can mean: itself, its two forms by number, or what its open parts and end allow."""
    pattern = ".+".join(map(re.escape, use.split(FILLED))) + (
        ".*" if use.endswith((".", FILLED)) else r"(\.one|\.other)?"
    )
    return {key for key in KEYS if re.fullmatch(pattern, key)}


USES = _uses()


def test_every_key_in_use_exists() -> None:
    """Each use, whole or with open parts, means at least one message."""
    assert {use: file for use, file in USES.items() if not _fitting(use)} == {}


def test_every_message_is_used() -> None:
    """Nothing is translated that nobody says."""
    used = set().union(*(_fitting(use) for use in USES))
    assert sorted(KEYS - used) == []
