"""The stimulus space as a page: ``python -m stimuli.space.page > docs/space.md``; a test keeps it up to date."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping

from stimuli import lengths, masks
from stimuli.masks._draw import EXAMPLE, text
from stimuli.random import Stream
from stimuli.space.axis import Axis, Budget, Space
from stimuli.space.frozen import assignments
from stimuli.space.goals import classify, listed
from stimuli.space.passes import BACKWARD_SPACE, FORWARD_SPACE

_HEAD = """# The stimulus space

Made by `python -m stimuli.space.page` from what `stimuli/space` declares; a test keeps it up to date.

Every axis has bins, the first one the default. Rules leave combinations out: *illegal* ones name the rule of the
[contract](contract.md) that refuses them, *ignored* ones say why they would show nothing. What one run mode cannot
hold is left out by its capacity rules, counted, and open for the other. From the same declaration come suite
`pairwise` (every pair of bins that is left, in few cases), `triples`, `soak` (`--suite soak:1000`), the cases of
`bsa-verify holes --close`, and the goals of `bsa-verify coverage`. `triples` and `soak` run by night and keep to the
rules of *sim by night* only; a pair that only they reach counts as covered.
"""


def page() -> str:
    """The whole page, Markdown."""
    parts = [_HEAD, *(section for space in (FORWARD_SPACE, BACKWARD_SPACE) for section in _space(space))]
    parts += ["## Axes that are observed\n", _derived(FORWARD_SPACE), "## Mask patterns\n", *_masks()]
    parts += ["## Length patterns\n\nSix batches of 48 tokens; `#` counts.\n", *_lengths()]
    return "\n".join(parts)


def _space(space: Space) -> Iterator[str]:
    yield f"## {space.name.capitalize()}\n"
    yield "| axis | what it is | bins |\n|---|---|---|"
    yield "\n".join(_axis(axis) for axis in space.axes) + "\n"
    yield "| kind | left out | reason |\n|---|---|---|"
    rows = [f"| {rule.kind} | {_where(rule.where)} | {rule.reason} |" for rule in space.rules]
    held = [f"| budget, {modes} | more than that | {one.text} |" for one, modes in _budgets(space)]
    yield "\n".join([*rows, *held]) + "\n"
    counts = {state: len(listed(goals)) for state, goals in classify(space, "sim", 2).items()}
    words = ", ".join(f"{number} {state}" for state, number in counts.items())
    yield f"Pairs in sim: {words}. Suite `pairwise` has {len(assignments(space, 2))} cases.\n"


def _axis(axis: Axis) -> str:
    mark = " (implementation)" if axis.kind == "implementation" else ""
    return f"| `{axis.name}` | {axis.text}{mark} | {', '.join(axis.names)} |"


def _where(where: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{axis}: {', '.join(bins)}" for axis, bins in where.items())


def _budgets(space: Space) -> Iterator[tuple[Budget, str]]:
    """Every capacity rule with where it holds."""
    for one in dict.fromkeys(one for held in space.budgets.values() for one in held):
        yield one, " and ".join(mode for mode, held in space.budgets.items() if one in held)


def _derived(space: Space) -> str:
    rows = [f"| `{one.name}` | {one.text} | {', '.join(one.names)} |" for one in space.derived]
    return "\n".join(["| axis | what it is | bins |\n|---|---|---|", *rows]) + "\n"


def _masks() -> Iterator[str]:
    yield "Four heads of 8 by 16 blocks, density 0.3 where blocks are drawn at random; `#` is selected.\n"
    for family in masks.FAMILIES:
        module = importlib.import_module(f"stimuli.masks.{family}")
        density = 0.3 if family in masks.DENSITY_FAMILIES else 1.0
        drawn = text(module.make(EXAMPLE, Stream(b"drawing"), density=density))
        yield f"### {family}\n\n{(module.__doc__ or '').strip().splitlines()[0]}\n\n```text\n{drawn}\n```\n"


def _lengths() -> Iterator[str]:
    for pattern in lengths.PATTERNS:
        yield f"### {pattern}\n\n```text\n{lengths.draw(pattern)}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(page())
