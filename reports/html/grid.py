"""Pairs of axes as a heat-map: one cell per two axes, as dark as the share of their pairs that is open."""

from __future__ import annotations

from markupsafe import Markup

from verification.coverage import Coverage
from verification.coverage.measure import share

SIZE = 26
"""Side of a cell, in pixels."""
LABEL = 96
"""Room for the names of axes."""
EDGES = (0.0, 0.25, 0.5, 0.75)
"""Upper edges of the open share of the levels; beyond the last is one more."""
LEVEL_WORDS = ("0", "≤ 25 %", "≤ 50 %", "≤ 75 %", "> 75 %")
"""Legend, level by level."""


def level(covered: int, total: int) -> int:
    """The level of a cell; two axes without a feasible pair have nothing open."""
    opened = 1.0 - covered / total if total else 0.0
    return sum(opened > edge for edge in EDGES)


def draw(found: Coverage, *, title: str) -> Markup:
    """The heat-map of one DUT, lower triangle; a cell holds the number of its open pairs and names its axes.

    Args:
        found: the coverage.
        title: accessible name of the drawing.
    """
    axes = found.axes
    width = LABEL + SIZE * (len(axes) - 1) + LABEL
    height = SIZE * (len(axes) - 1) + LABEL
    parts = [
        Markup(
            '<svg class="heatmap grid" role="img" width="{0}" height="{1}" viewBox="0 0 {0} {1}" aria-label="{2}">'
        ).format(width, height, title)
    ]
    counts = _counts(found)
    for y, row in enumerate(axes[1:]):
        parts.append(_name(row, LABEL - 6, y * SIZE + SIZE * 0.65))
        parts += [
            _cell(x, y, (column, row), counts[frozenset((column, row))]) for x, column in enumerate(axes[: y + 1])
        ]
    parts += [_slanted(name, LABEL + (x + 0.5) * SIZE, height - LABEL + 12) for x, name in enumerate(axes[:-1])]
    return Markup("").join([*parts, Markup("</svg>")])


def _counts(found: Coverage) -> dict[frozenset[str], tuple[int, int]]:
    """(covered, feasible) of every two axes, in one pass over the pairs."""
    states: dict[frozenset[str], list[str]] = {}
    for (first, second), state in found.pairs.items():
        states.setdefault(frozenset((first[0], second[0])), []).append(state)
    return {axes: share({one: of.count(one) for one in ("covered", "failing", "open")}) for axes, of in states.items()}


def _cell(x: int, y: int, names: tuple[str, str], counts: tuple[int, int]) -> Markup:
    covered, total = counts
    left, top = LABEL + x * SIZE, y * SIZE
    square = Markup(
        '<rect class="g{}" x="{}" y="{}" width="{}" height="{}"><title>{} × {}: {}/{}</title></rect>'
    ).format(level(covered, total), left + 1, top + 1, SIZE - 2, SIZE - 2, *names, covered, total)
    if covered == total:
        return square
    number = Markup('<text class="tick" x="{}" y="{}">{}</text>').format(
        left + SIZE / 2, top + SIZE * 0.65, total - covered
    )
    return square + number


def _name(name: str, x: float, y: float) -> Markup:
    return Markup('<text class="tick end" x="{}" y="{}">{}</text>').format(x, y, name)


def _slanted(name: str, x: float, y: float) -> Markup:
    return Markup('<text class="tick start" x="{0}" y="{1}" transform="rotate(55 {0} {1})">{2}</text>').format(
        x, y, name
    )
