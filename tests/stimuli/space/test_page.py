"""The page of the space is made from the code and is up to date."""

from __future__ import annotations

from pathlib import Path

from stimuli import lengths, masks
from stimuli.space.page import page

PAGE = Path(__file__).parents[3] / "docs" / "space.md"


def test_the_page_is_up_to_date() -> None:
    """docs/space.md is what ``python -m stimuli.space.page`` prints."""
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m stimuli.space.page > docs/space.md"


def test_every_mask_and_length_pattern_is_drawn() -> None:
    """A heading and a drawing each."""
    text = page()
    for name in (*masks.FAMILIES, *lengths.PATTERNS):
        assert f"### {name}\n" in text
