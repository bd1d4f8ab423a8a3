"""Text can be read: every colour of text has contrast 4.5 on every ground that it stands on (WCAG 2.2 AA)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reports.html

FOLDER = Path(reports.html.__file__).parent
TEXTS = ("text", "dim", "accent", "pass", "fail", "flaky", "crash", "timeout", "memory", "known", "quiet")
LEAST = 4.5


def _colours(name: str) -> dict[str, tuple[float, ...]]:
    found = re.findall(r"--(\w+): #([0-9a-f]{3}|[0-9a-f]{6});", (FOLDER / name).read_text(encoding="utf-8"))
    return {key: _rgb(value) for key, value in found}


def _rgb(value: str) -> tuple[float, ...]:
    full = value if len(value) == 6 else "".join(2 * digit for digit in value)
    return tuple(int(full[i : i + 2], 16) / 255 for i in (0, 2, 4))


def _mixed(colour: tuple[float, ...], ground: tuple[float, ...], share: float) -> tuple[float, ...]:
    return tuple(share * c + (1 - share) * g for c, g in zip(colour, ground, strict=True))


def _luminance(colour: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["page.css", "dark.css"])
def test_text_on_its_grounds(theme: str) -> None:
    """Plain text on the page and on open cases."""
    colours = _colours(theme)
    weak = [
        (text, ground)
        for text in TEXTS
        for ground in ("bg", "surface")
        if _contrast(colours[text], colours[ground]) < LEAST
    ]
    assert weak == []


@pytest.mark.parametrize("theme", ["page.css", "dark.css"])
def test_badges(theme: str) -> None:
    """A verdict's word on its own tint."""
    colours = _colours(theme)
    verdicts = TEXTS[3:]
    weak = [v for v in verdicts if _contrast(colours[v], _mixed(colours[v], colours["bg"], 0.12)) < LEAST]
    assert weak == []


def test_themes_define_the_same_colours() -> None:
    """Nothing light is left in the dark."""
    assert _colours("page.css").keys() == _colours("dark.css").keys()
