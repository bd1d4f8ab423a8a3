"""Cases survive the journey through JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.case import MAX_SEED, Case
from stimuli.errors import StimulusError

_SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(_SCALARS | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5)
_PARAMS = st.dictionaries(st.text(min_size=1, max_size=8), _VALUES, max_size=4)


@given(params=_PARAMS, seed=st.integers(0, MAX_SEED), modes=st.sampled_from([("sim",), ("npu",), ("npu", "sim")]))
def test_round_trip(params: dict[str, object], seed: int, modes: tuple[str, ...]) -> None:
    """from_json(to_json(case)) is the case, text included."""
    made = Case(dut="d", params=params, seed=seed, modes=modes, name="n", expect="refused: heads-ratio", source="s")
    again = Case.from_json(json.loads(json.dumps(made.to_json())))
    assert again == made
    assert again.id == made.id


def test_short_form() -> None:
    """A DUT and parameters are enough."""
    assert Case.from_json({"dut": "d", "params": {}}) == Case(dut="d", params={})


def test_edited_file_is_noticed() -> None:
    """An id that is not the content's is refused."""
    data = Case(dut="d", params={"batch": 2}).to_json()
    data["params"]["batch"] = 3
    with pytest.raises(StimulusError, match=r"case\.id"):
        Case.from_json(data)
