"""Covering arrays are complete by a count that shares no code with them, and small."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE, Space
from stimuli.space.counter import recount
from stimuli.space.covering import cover
from stimuli.space.frozen import assignments, extended, tables_of
from stimuli.space.goals import feasible, listed
from stimuli.space.topup import top_up
from tests.stimuli.space.small import small

SPACES = pytest.mark.parametrize("space", [FORWARD_SPACE, BACKWARD_SPACE], ids=lambda space: space.name)
SIZES = st.lists(st.integers(2, 4), min_size=3, max_size=5)


def _bins(space: Space) -> dict[str, tuple[str, ...]]:
    return {axis.name: axis.names for axis in space.axes}


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """A small space with up to five forbidden combinations of one to three bins."""
    sizes = draw(SIZES)
    forbidden = []
    for _ in range(draw(st.integers(0, 5))):
        axes = draw(st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=3, unique=True))
        forbidden.append({axis: draw(st.integers(0, sizes[axis] - 1)) for axis in axes})
    return small(sizes, forbidden)


@SPACES
def test_the_kept_pairs_are_complete(space: Space) -> None:
    """The independent counter finds every pair that could be met, and no row that breaks a rule."""
    tables = tables_of(space, 2)
    found = recount(_bins(space), tables.rules, assignments(space, 2), 2)
    assert found.missing == found.broken == ()
    assert found.covered == found.total == len(listed(feasible(tables, 2)))


@SPACES
def test_the_kept_pairs_are_few(space: Space) -> None:
    """At most 1.4 times the product of the two largest axes, which no array can be below."""
    tables = tables_of(space, 2)
    possible = feasible(tables, 1)
    sizes = sorted(possible[at : at + n].sum() for at, n in zip(tables.offsets[:-1], tables.sizes, strict=True))
    assert len(assignments(space, 2)) <= 1.4 * sizes[-1] * sizes[-2]


@SPACES
def test_nothing_is_left_to_add(space: Space) -> None:
    """Extending the kept pairs changes nothing: the file is what the space of today asks for."""
    rows = assignments(space, 2)
    assert extended(space, 2, rows) == rows


@given(space=spaces(), strength=st.sampled_from([2, 3]))
@settings(max_examples=40, deadline=None)
def test_any_space_is_covered(space: Space, strength: int) -> None:
    """Generator, feasibility and counter agree with a plain enumeration of all assignments."""
    tables = tables_of(space, strength)
    bins = _bins(space)
    made = [tables.assignment(row) for row in cover(tables, strength)]
    counted = recount(bins, tables.rules, made, strength)
    legal = [
        row
        for row in (dict(zip(bins, chosen, strict=True)) for chosen in product(*bins.values()))
        if not any(rule.excludes(row) for rule in space.rules)
    ]
    goals = {tuple((axis, row[axis]) for axis in axes) for row in legal for axes in combinations(bins, strength)}
    assert counted.missing == counted.broken == ()
    assert counted.total == len(goals) == len(listed(feasible(tables, strength)))


@given(space=spaces())
@settings(max_examples=10, deadline=None)
def test_the_same_space_gives_the_same_array(space: Space) -> None:
    """Nothing but the space and the seed decides."""
    tables = tables_of(space, 2)
    assert np.array_equal(cover(tables, 2), cover(tables_of(space, 2), 2))


def test_the_counter_misses_nothing_and_takes_nothing_for_granted() -> None:
    """A row less is a goal missing; a row that breaks a rule covers nothing and is named."""
    space = small([3, 3], [{0: 0, 1: 0}])
    rows = [{"a": a, "b": b} for a, b in product("012", repeat=2) if (a, b) not in (("0", "0"), ("2", "1"))]
    found = recount(_bins(space), space.rules, [{"a": "0", "b": "0"}, *rows], 2)
    assert found.missing == ((("a", "2"), ("b", "1")),)
    assert (found.total, found.covered, found.broken) == (8, 7, (0,))


def test_top_up_meets_what_is_open_and_leaves_out_what_cannot_be() -> None:
    """Pinned open pairs are in the cases made; an infeasible one makes none."""
    goals = [(("mask", "band"), ("values", "exact")), (("layout", "TND"), ("lengths_q", "none"))]
    made = top_up(FORWARD_SPACE, "sim", goals)
    assert len(made) == 1
    assert (made[0]["mask"], made[0]["values"]) == ("band", "exact")
    assert made == top_up(FORWARD_SPACE, "sim", goals[::-1])


@pytest.mark.nightly
@SPACES
def test_the_kept_triples_are_complete(space: Space) -> None:
    """The same of triples, by the independent counter."""
    found = recount(_bins(space), tables_of(space, 3).rules, assignments(space, 3), 3)
    assert found.missing == found.broken == ()
