"""Regions: what is left when others are taken away, and which overlap; checked against sets of points."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from verification.sanitizer.boxes import box, is_empty, last_element, overlap, overlapping, uncovered

SIDE = st.tuples(st.integers(0, 5), st.integers(0, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
BOX = st.tuples(SIDE, SIDE)


def points(region):
    return set(product(*(range(begin, end) for begin, end in region)))


@given(BOX, st.lists(BOX, max_size=5))
def test_uncovered_is_the_difference_in_disjoint_pieces(region, others):
    left = uncovered(region, others)
    assert sum(len(points(piece)) for piece in left) == len(set().union(*map(points, left)))
    assert set().union(*map(points, left)) == points(region) - set().union(*map(points, others))


@given(BOX, BOX)
def test_overlap_is_the_intersection(one, other):
    shared = overlap(one, other)
    assert (points(shared) if shared else set()) == points(one) & points(other)


@given(st.lists(BOX.filter(lambda region: not is_empty(region)), max_size=8))
def test_overlapping_finds_every_pair_once_and_in_order(regions):
    entries = [(region, number) for number, region in enumerate(regions)]
    found = [(one[1], other[1]) for one, other in overlapping(entries)]
    expected = [
        (i, j)
        for i in range(len(regions))
        for j in range(i + 1, len(regions))
        if points(regions[i]) & points(regions[j])
    ]
    assert sorted(found) == expected


def test_last_element_counts_rows_first():
    assert last_element(box((2, 3), (2, 4)), (10, 100)) == 306
