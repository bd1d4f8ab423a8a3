"""The pages of docs/limits are what the limits and expectations make of them."""

from pathlib import Path

import pytest

from verification.limits import LIMITS
from verification.limits.document import pages

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", sorted(pages()))
def test_page_is_current(path):
    """Else: python -m verification.limits.document."""
    assert (ROOT / "docs/limits" / path).read_text(encoding="utf-8") == pages()[path]


def test_both_languages_have_every_limit():
    """A page each, and no page of a limit that is gone."""
    found = {path.relative_to(ROOT / "docs/limits").as_posix() for path in (ROOT / "docs/limits").rglob("*.md")}
    assert found == set(pages())
    assert len(found) == 2 * (len(LIMITS) + 1)
