"""One thing that lint found."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

ERROR: Final = "error"
"""Fails, or gives wrong numbers, in the PyPTO version linted for."""
WARNING: Final = "warning"
"""Not to be seen in the simulator, or without effect."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """A place that fits a rule."""

    rule: str
    node: ast.AST
    what: str
    """The code in question, on one line."""
    probe: str = ""
    """The limit's probe that has this form; empty where all that the rule finds come to the same."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A match with what is known of its limit."""

    path: str
    line: int
    column: int
    level: str
    rule: str
    limit: int
    what: str
    surfaces: str
    """What it comes to in the version linted for; empty where nothing is to be seen."""
