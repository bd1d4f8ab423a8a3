"""Our covering arrays are no larger than those of covertable under the same rules."""

from __future__ import annotations

import pytest

from benchmarks.covering import covertable_rows, part
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE, Space
from stimuli.space.counter import recount
from stimuli.space.covering import cover
from stimuli.space.frozen import assignments, tables_of

AXES = ("batch", "heads", "lengths_kv", "layout", "padding", "strides")


@pytest.mark.nightly
@pytest.mark.parametrize("strength", [2, 3])
@pytest.mark.parametrize("space", [FORWARD_SPACE, BACKWARD_SPACE], ids=lambda space: space.name)
def test_of_the_whole_space_at_most_a_tenth_more(space: Space, strength: int) -> None:
    """The array that the suite is made of, against covertable's; triples take a quarter of an hour each."""
    tables = tables_of(space, strength)
    theirs = covertable_rows(tables, strength)
    found = recount({axis.name: axis.names for axis in space.axes}, tables.rules, theirs, strength)
    assert (found.missing, found.broken) == ((), ())
    assert len(assignments(space, strength)) <= 1.1 * len(theirs)


@pytest.mark.parametrize("strength", [2, 3])
def test_at_most_a_tenth_more_than_covertable(strength: int) -> None:
    """Both cover everything by the independent count; ours needs at most 1.1 times the cases."""
    tables = tables_of(part(FORWARD_SPACE, AXES), strength)
    bins = {axis.name: axis.names for axis in tables.space.axes}
    theirs = covertable_rows(tables, strength)
    ours = [tables.assignment(row) for row in cover(tables, strength)]
    for rows in (ours, theirs):
        assert recount(bins, tables.rules, rows, strength).missing == ()
    assert len(ours) <= 1.1 * len(theirs)
