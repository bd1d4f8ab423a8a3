"""Each cross has cases of every DUT of ours that relies on the limit, and counts no case that does not have it."""

from functools import cache

import pytest

from stimuli.case import case
from stimuli.parameters import FORWARD_DEFAULTS
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE
from verification.dut import find_duts
from verification.limits import LIMITS
from verification.limits.crosses import CROSSES, CUBE_TILES

OURS = ("bsa.forward", "bsa.backward")
BY_NUMBER = {cross.number: cross for cross in CROSSES}
EXAMPLES = {
    4: ({"seq_q": 257}, {"seq_q": 256}),
    8: ({"seq_kv": 2048, "mask": "dense"}, {"seq_kv": 2047 - 511, "mask": "dense"}),
    9: ({"seq_kv": 513}, {"seq_kv": 1024, "density": 0.5}),
    11: ({"config": {"values_k": [64, 64]}}, {"config": {"schedule": 1}}),
    12: ({"heads_q": 2, "lengths_q": [200]}, {"heads_q": 1, "lengths_q": [200]}),
}
"""By limit: parameters that have the cross, and some that do not."""


@cache
def _cases(name):
    return [one for suite in find_duts()[name].suites() if not suite.nightly for one in suite.cases]


def test_crosses_are_of_limits_that_there_are():
    """One a limit, in both languages."""
    assert set(BY_NUMBER) <= set(LIMITS)
    assert len(BY_NUMBER) == len(CROSSES)
    assert all(cross.what.en and cross.what.zh for cross in CROSSES)


@pytest.mark.parametrize("dut", OURS)
@pytest.mark.parametrize("cross", CROSSES, ids=lambda one: str(one.number))
def test_every_cross_has_cases(cross, dut):
    """Of each DUT, in suites that are not for the night."""
    assert any(cross.stressed_by(one) for one in _cases(dut))


@pytest.mark.parametrize("number", EXAMPLES)
def test_condition_tells_stress_from_none(number):
    """A case next to the border does not count."""
    with_it, without = (case("bsa.forward", FORWARD_DEFAULTS, **params) for params in EXAMPLES[number])
    assert BY_NUMBER[number].stressed_by(with_it)
    assert not BY_NUMBER[number].stressed_by(without)


def test_one_call_is_not_back_to_back():
    """Two are."""
    once, twice = (
        case("bsa.forward", FORWARD_DEFAULTS, program=program)
        for program in ({"kind": "once"}, {"kind": "repeat", "times": 2})
    )
    assert [BY_NUMBER[13].stressed_by(one) for one in (once, twice)] == [False, True]


@pytest.mark.parametrize(("dut", "space"), [(OURS[0], FORWARD_SPACE), (OURS[1], BACKWARD_SPACE)])
def test_every_accepted_tile_of_the_space_has_a_case(dut, space):
    """Not one of them alone."""
    tiles = [one.params["config"] for one in space.axis("tiles").bins if one.params.get("config")]
    used = [{**(one.params.get("config") or {})} for one in _cases(dut)]
    assert tiles
    for tile in tiles:
        assert {*tile} <= {*CUBE_TILES}
        assert any(tile.items() <= given.items() for given in used), tile
