"""The arrays that suites are made of, kept as files: a suite never changes by itself, and is there at once.

A row has one digit per axis, the number of a bin. Bins and axes are only ever appended to a space: a row that knows
nothing of a later axis has its default there, and so its case keeps its id. ``python -m stimuli.space.frozen`` adds to
the files what the spaces of today leave open.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from stimuli.space.axis import IGNORED, ILLEGAL, NIGHT, Space
from stimuli.space.covering import cover
from stimuli.space.passes import BACKWARD_SPACE, FORWARD_SPACE
from stimuli.space.tables import Tables

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
STRENGTHS = (2, 3)
CAPACITY = {2: "sim", 3: NIGHT}
"""The capacity rules that the array of each strength keeps to."""
_SEEDS = {("forward", 2): 2, ("backward", 2): 0, ("forward", 3): 0, ("backward", 3): 0}
"""Seeds that gave the fewest rows of those tried."""


def assignments(space: Space, strength: int) -> list[dict[str, str]]:
    """The rows of a file as complete assignments.

    Args:
        space: one of the spaces that have a file.
        strength: 2 or 3.
    """
    file = resources.files("stimuli.space").joinpath("arrays", f"{space.name}-{strength}.json")
    held = json.loads(file.read_text("utf-8"))
    return parse(space, held["axes"], held["rows"])


def strengths(space: Space) -> tuple[int, ...]:
    """The strengths that a space has a file of."""
    folder = resources.files("stimuli.space").joinpath("arrays")
    return tuple(one for one in STRENGTHS if folder.joinpath(f"{space.name}-{one}.json").is_file())


def parse(space: Space, axes: Sequence[str], rows: Sequence[str]) -> list[dict[str, str]]:
    """Rows of digits as complete assignments; axes that the rows do not know have their default."""
    found = []
    for row in rows:
        known = {name: space.axis(name).names[DIGITS.index(digit)] for name, digit in zip(axes, row, strict=True)}
        found.append({**space.defaults(), **known})
    return found


def render(space: Space, rows: Sequence[dict[str, str]]) -> str:
    """A file's text: one row a line."""
    axes = [axis.name for axis in space.axes]
    lines = ["".join(DIGITS[space.axis(name).names.index(row[name])] for name in axes) for row in rows]
    return json.dumps({"axes": axes, "rows": lines}, indent=0) + "\n"


def tables_of(space: Space, strength: int) -> Tables:
    """All rules of a space, with the capacity rules that its array of a strength keeps to."""
    return Tables(space, run_mode=CAPACITY[strength], kinds=(ILLEGAL, IGNORED))


def extended(space: Space, strength: int, rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Rows, first and unchanged, and those that close what they leave open.

    Args:
        space: the space of today.
        strength: 2 or 3.
        rows: complete assignments; those that a rule of today excludes are left out.
    """
    tables = tables_of(space, strength)
    start = tables.rows(rows)
    made = cover(tables, strength, start=start[tables.holds(start)], seed=_SEEDS[space.name, strength])
    return [tables.assignment(row) for row in made]


def main(folder: Path) -> None:
    """Extends every file below a folder."""
    for space in (FORWARD_SPACE, BACKWARD_SPACE):
        for strength in STRENGTHS:
            path = folder / f"{space.name}-{strength}.json"
            held = json.loads(path.read_text("utf-8")) if path.exists() else {"axes": [], "rows": []}
            rows = parse(space, held["axes"], held["rows"])
            path.write_text(render(space, extended(space, strength, rows)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "arrays")
