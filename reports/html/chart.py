"""Drawings as inline SVG, coloured by the style sheet so that light, dark and print all work."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup

from reports.distribution import Bin, Distribution

BAR = 34
"""Width of a bar of the histogram with its gap, in SVG units."""
HEIGHT = 120
"""Height of the tallest bar."""
TOP = 18
"""Room above the bars, for counts."""
BOTTOM = 30
"""Room below the bars, for the axis."""


def histogram(distribution: Distribution, *, title: str, say: Callable[..., str]) -> Markup:
    """Bars of error ÷ limit; each links to the cases that it holds, through the filter of the cases' table.

    Args:
        distribution: what to draw.
        title: accessible name of the drawing.
        say: gives messages by key.
    """
    bins = distribution.bins
    tallest = max((one.count for one in bins), default=0) or 1
    width = BAR * len(bins)
    parts = [
        Markup('<svg class="histogram" role="img" viewBox="0 0 {} {}" aria-label="{}">').format(
            width + 8, TOP + HEIGHT + BOTTOM, title
        )
    ]
    for position, one in enumerate(bins):
        parts.append(_bar(one, distribution.output, BAR * position + 4, tallest, say))
        if math.isfinite(one.high):
            parts.append(_tick(BAR * (position + 1) + 4, f"{one.high:g}"))
    edge = 4 + BAR * sum(one.within for one in bins)
    parts.append(
        Markup('<path class="limit" d="M{0} {1}V{2}"/><text class="limit-word" x="{3}" y="10">{4}</text>').format(
            edge, 4, TOP + HEIGHT + 4, edge + 5, say("report.distribution.limit")
        )
    )
    parts.append(Markup('<path class="axis" d="M4 {0}H{1}"/></svg>').format(TOP + HEIGHT, width + 4))
    return Markup("").join(parts)


def _bar(one: Bin, output: str, left: int, tallest: int, say: Callable[..., str]) -> Markup:
    if not one.count:
        return Markup("")
    height = max(3, round(HEIGHT * one.count / tallest))
    top = TOP + HEIGHT - height
    key = f"ratio.{output.lower()}"
    query = f"{key}>{one.low:g}" if one.low else f"{key}>=0"
    if math.isfinite(one.high):
        query += f" {key}<={one.high:g}"
    tip = say(
        "report.distribution.bar",
        n=one.count,
        low=f"{one.low:g}",
        high="∞" if math.isinf(one.high) else f"{one.high:g}",
    )
    return Markup(
        '<a href="#cases" data-query="{}" class="{}" aria-label="{}"><title>{}</title>'
        '<rect x="{}" y="{}" width="{}" height="{}" rx="2"/><text x="{}" y="{}">{}</text></a>'
    ).format(
        query,
        "within" if one.within else "beyond",
        tip,
        tip,
        left + 2,
        top,
        BAR - 4,
        height,
        left + BAR // 2,
        top - 4,
        one.count,
    )


def _tick(x: int, label: str) -> Markup:
    y = TOP + HEIGHT
    return Markup('<path class="axis" d="M{0} {1}v4"/><text class="tick" x="{0}" y="{2}">{3}</text>').format(
        x, y, y + 18, label
    )


def meter(ratio: float | None) -> Markup:
    """A small bar of error ÷ limit; full = at the limit, striped = beyond it."""
    if ratio is None:
        return Markup("")
    beyond = not ratio <= 1.0
    share = 100 if beyond else math.ceil(100 * ratio)
    return Markup('<i class="meter{}" aria-hidden="true" style="--r:{}%"></i>').format(
        " beyond" if beyond else "", share
    )
