"""Drawings: heat-maps by level, histograms by bin, meters."""

from __future__ import annotations

import math
import re

import pytest

from bsa.messages import catalogue
from reports import view
from reports.html import chart, heatmap
from tests.reports import samples


@pytest.mark.parametrize(
    ("value", "level"),
    [(0.0, 0), (0.5, 0), (1.0, 1), (1.01, 2), (10.0, 3), (100.0, 4), (math.inf, 5), (-math.inf, 0), (math.nan, 6)],
)
def test_levels(value: float, level: int) -> None:
    """Within the limit there are two levels, beyond it four, and NaN has its own."""
    assert heatmap.level(value) == level


def test_legend_has_a_word_for_every_level() -> None:
    """The last is NaN."""
    assert len(heatmap.LEVEL_WORDS) == heatmap.NOT_A_NUMBER + 1


def test_cells_beyond_the_limit_can_be_pointed_at() -> None:
    """A small map names each of its bad cells."""
    drawn = heatmap.draw(samples.location(8, 4), title="x")
    assert len(re.findall(r"<title>\[[67], [0-3]\] ", drawn)) == 8


def test_large_maps_stay_small() -> None:
    """64×64 cells, all bad, are one path per level."""
    hot = samples.location(heatmap=((3.0,) * 64,) * 64)
    drawn = heatmap.draw(hot, title="x")
    assert drawn.count("<rect") == 0
    assert drawn.count("<path") == 2


def test_no_map_no_drawing() -> None:
    """A record without a heat-map draws nothing."""
    assert heatmap.draw(samples.location(heatmap=()), title="x") == ""


def test_title_is_escaped() -> None:
    """An output's name cannot leave the attribute."""
    assert '"><script>' not in heatmap.draw(samples.location(), title='"><script>')


def test_bars_lead_to_their_cases() -> None:
    """A bar's query names its output and both edges; the open last bin only the lower."""
    (shown, *_) = view(samples.failing_run()).distributions
    drawn = chart.histogram(shown, title="x", say=catalogue("en").text)
    assert 'data-query="ratio.out&gt;100"' in drawn
    assert re.search(r'data-query="ratio\.out&gt;0\.\d ratio\.out&lt;=0\.\d"', drawn)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (None, ""),
        (0.0, '<i class="meter" aria-hidden="true" style="--r:0%"></i>'),
        (0.004, '<i class="meter" aria-hidden="true" style="--r:1%"></i>'),
        (1.0, '<i class="meter" aria-hidden="true" style="--r:100%"></i>'),
        (1.01, '<i class="meter beyond" aria-hidden="true" style="--r:100%"></i>'),
        (math.nan, '<i class="meter beyond" aria-hidden="true" style="--r:100%"></i>'),
        (math.inf, '<i class="meter beyond" aria-hidden="true" style="--r:100%"></i>'),
    ],
)
def test_meter(ratio: float | None, text: str) -> None:
    """Full at the limit, striped beyond it; NaN is beyond."""
    assert chart.meter(ratio) == text
