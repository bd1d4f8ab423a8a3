"""Writes into a wheel which commit it was built from; everything else is in pyproject.toml."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithCommit(build_py):
    """Builds the packages, and says in ``verification/built_from.json`` what they were built from."""

    def run(self) -> None:
        """See :class:`setuptools.command.build_py.build_py`. An editable install has the checkout itself."""
        super().run()
        if self.editable_mode or not (ROOT / ".git").exists():
            return
        commit, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain")
        if commit:
            target = Path(self.build_lib) / "verification" / "built_from.json"
            target.write_text(json.dumps({"commit": commit, "dirty": bool(changes)}) + "\n", encoding="utf-8")


def _git(*arguments: str) -> str:
    """Output of git; empty where it is missing or refuses."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


setup(cmdclass={"build_py": BuildWithCommit})
