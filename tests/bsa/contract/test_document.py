"""The contract's page is made from the code and is up to date."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

from bsa.contract import NO_WINDOW, RULES, BackwardCall
from bsa.contract.document import ARGUMENTS, page
from bsa.contract.operator import NAMES, OUTPUTS

PAGE = Path(__file__).parents[3] / "docs" / "contract.md"


def test_the_page_is_up_to_date() -> None:
    """docs/contract.md is what ``python -m bsa.contract`` prints."""
    made = subprocess.run([sys.executable, "-m", "bsa.contract"], check=True, capture_output=True, text=True).stdout
    assert made == page()
    assert PAGE.read_text(encoding="utf-8") == made, "run: python -m bsa.contract > docs/contract.md"


def test_every_rule_is_on_the_page_with_its_source() -> None:
    """One row a rule; none is without a source or without words for each profile that has it."""
    rows = {line.split("`")[1]: line for line in page().splitlines() if line.startswith("| `")}
    assert list(rows) == list(RULES)
    for rule in RULES.values():
        assert rule.source.split(",")[0].split(";")[0] in {"text", "kernel", "ours"}
        assert "{" not in rows[rule.id]


def test_every_argument_of_the_rules_exists() -> None:
    """A rule speaks of arguments that some call has."""
    known = {*BackwardCall.__dataclass_fields__, *(row[0] for row in ARGUMENTS), *OUTPUTS, "profile"}
    assert {argument for rule in RULES.values() for argument in rule.arguments} <= known


def test_names_map_to_the_operator() -> None:
    """Every renamed argument of ours is a row of the operator's table, with the same two names."""
    rows = {(ours, theirs) for theirs, ours, _ in ARGUMENTS}
    assert set(NAMES.items()) <= rows
    assert NO_WINDOW == 2**31 - 1
    assert inspect.getdoc(BackwardCall)
