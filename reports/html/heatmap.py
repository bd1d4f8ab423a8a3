"""Heat-maps of errors as inline SVG: one path per level, so that 64×64 cells stay small."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

from markupsafe import Markup

from reports.numbers import short
from verification.record import Location

LEVELS = (0.5, 1.0, 2.0, 10.0, 100.0)
"""Upper edges of error ÷ limit of the levels; beyond the last, and NaN, have levels of their own."""
LEVEL_WORDS = ("≤ 0.5", "≤ 1", "≤ 2", "≤ 10", "≤ 100", "> 100", "NaN")
"""Legend, level by level."""
NOT_A_NUMBER = len(LEVELS) + 1
MOST_NAMED = 300
"""Up to so many cells beyond the limit, each can be pointed at."""


def level(value: float) -> int:
    """The level of a cell: its place in ``LEVEL_WORDS``."""
    if math.isnan(value):
        return NOT_A_NUMBER
    return bisect.bisect_left(LEVELS, value)


def draw(location: Location, *, title: str) -> Markup:
    """The heat-map of one output; empty where the record holds none.

    Args:
        location: what the scoreboard found.
        title: accessible name of the drawing.
    """
    cells = location.heatmap
    columns = max((len(row) for row in cells), default=0)
    if not columns:
        return Markup("")
    size = max(4, min(22, 320 // columns, 320 // len(cells)))
    left, top = 34, 20
    width, height = columns * size, len(cells) * size
    parts = [
        Markup(
            '<svg class="heatmap" role="img" width="{0}" height="{1}" viewBox="0 0 {0} {1}" aria-label="{2}">'
        ).format(left + max(width, 120) + 8, top + height + 8, title),
        Markup('<path class="h0" d="M{} {}h{}v{}h-{}z"/>').format(left, top, width, height, width),
        _cells(cells, size, left, top),
        _axes((len(cells), columns), size, (left, top)),
        Markup("</svg>"),
    ]
    return Markup("").join(parts)


def levels_used(location: Location) -> tuple[int, ...]:
    """The levels that a heat-map shows, for its legend."""
    return tuple(sorted({level(value) for row in location.heatmap for value in row}))


def _cells(cells: Sequence[Sequence[float]], size: int, left: int, top: int) -> Markup:
    placed: dict[int, list[tuple[int, int, float]]] = {}
    for y, row in enumerate(cells):
        for x, value in enumerate(row):
            if (found := level(value)) > 0:
                placed.setdefault(found, []).append((x, y, value))
    hot = sum(len(where) for found, where in placed.items() if found > 1)
    drawn: list[Markup] = []
    for found, where in sorted(placed.items()):
        if found > 1 and hot <= MOST_NAMED:
            drawn.extend(
                Markup(
                    '<rect class="h{}" x="{}" y="{}" width="{}" height="{}"><title>[{}, {}] {}×</title></rect>'
                ).format(found, left + x * size, top + y * size, size, size, y, x, short(value))
                for x, y, value in where
            )
        else:
            path = "".join(f"M{left + x * size} {top + y * size}h{size}v{size}h-{size}z" for x, y, _ in where)
            drawn.append(Markup('<path class="h{}" d="{}"/>').format(found, path))
    return Markup("").join(drawn)


def _axes(shape: tuple[int, int], size: int, origin: tuple[int, int]) -> Markup:
    left, top = origin
    rows, columns = shape
    text = Markup('<text class="tick {}" x="{}" y="{}">{}</text>')
    parts = [
        text.format("middle", left + size / 2, top - 5, 0),
        text.format("end", left - 5, top + size / 2 + 4, 0),
    ]
    if columns > 1:
        parts.append(text.format("middle", left + (columns - 0.5) * size, top - 5, columns - 1))
    if rows > 1:
        parts.append(text.format("end", left - 5, top + (rows - 0.5) * size + 4, rows - 1))
    return Markup("").join(parts)
