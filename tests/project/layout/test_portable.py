"""The tree names no machine: no absolute path of whoever wrote it, and none that only root has."""

from __future__ import annotations

import re
from pathlib import Path

HOMES = re.compile(r"(?<![\w.])/(?:root|home|Users|work|opt/dev)/[\w.]")
"""Folders that exist on one machine only. /opt/…/Ascend, /dev/shm, /tmp and /usr are the same everywhere."""

TEXT = {".py", ".md", ".toml", ".ini", ".txt", ".json", ".html", ".css", ".js", ".cfg", ".yml", ".yaml", ""}


def test_no_path_of_one_machine(root: Path, tree: list[Path]) -> None:
    """No file of the tree contains a path below a home or a work folder."""
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()[:80]}"
        for path in tree
        if path.suffix in TEXT and path != Path(__file__).resolve()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if HOMES.search(line)
    ]
    assert not found, "\n".join(found)
