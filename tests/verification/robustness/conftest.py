"""A place of its own for each test, and what must be left of it: nothing."""

import pytest

from tests.support.place import Place


@pytest.fixture
def place(tmp_path):
    """Folders for the current folder, scratch and temporary files; processes and litter left behind fail the test."""
    made = Place(tmp_path)
    yield made
    made.assert_clean()
