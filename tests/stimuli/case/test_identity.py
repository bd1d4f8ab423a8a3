"""A case is identified by what it makes, not by how it was written."""

from __future__ import annotations

import pickle

import pytest

from stimuli.case import Case, case

DEFAULTS = {"batch": 1, "density": 1.0, "block_shape": [256, 512], "lengths_q": None}


def test_id_is_frozen() -> None:
    """The id of a given content never changes: records of all versions refer to it."""
    assert case("bsa.forward", DEFAULTS, batch=2, seed=3).id == "123c95e548e9"


def test_defaults_are_left_out() -> None:
    """Parameters equal to the frozen default leave no trace, in any spelling."""
    spelled = case("d", DEFAULTS, batch=1, density=1, block_shape=(256, 512), lengths_q=None)
    assert spelled.params == {}
    assert spelled.id == case("d", DEFAULTS).id


def test_an_added_axis_renames_nothing() -> None:
    """Cases keep their id when an axis is added with its default."""
    more = {**DEFAULTS, "new_axis": "off"}
    assert case("d", DEFAULTS, batch=2).id == case("d", more, batch=2).id
    assert case("d", more, batch=2, new_axis="on").id != case("d", more, batch=2).id


def test_number_spelling_does_not_matter() -> None:
    """An integer on an axis of floats is that float."""
    assert case("d", DEFAULTS, density=0).id == case("d", DEFAULTS, density=0.0).id


@pytest.mark.parametrize(
    "change",
    [{"dut": "e"}, {"params": {"batch": 3}}, {"program": {"kind": "repeat", "times": 2}}, {"seed": 1}],
)
def test_content_changes_the_id(change: dict[str, object]) -> None:
    """DUT, parameters, program and seed each count."""
    base: dict[str, object] = {"dut": "d", "params": {"batch": 2}}
    assert Case(**{**base, **change}).id != Case(**base).id  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [{"name": "n"}, {"modes": ("sim",)}, {"expect": "refused: x"}, {"source": "s"}])
def test_labels_do_not_change_the_id(change: dict[str, object]) -> None:
    """Name, modes, expectation and source do not count."""
    base: dict[str, object] = {"dut": "d", "params": {"batch": 2}}
    assert Case(**{**base, **change}).id == Case(**base).id  # type: ignore[arg-type]


def test_a_case_keeps_its_own_copy() -> None:
    """Changing what a case was made from does not change the case."""
    shape = [16, 16]
    made = case("d", DEFAULTS, block_shape=shape)
    shape[0] = 32
    assert made.params == {"block_shape": [16, 16]}
    assert made.id == case("d", DEFAULTS, block_shape=[16, 16]).id


def test_cases_are_hashable_and_travel() -> None:
    """Cases work in sets and through pickle."""
    made = case("d", DEFAULTS, batch=2, name="n")
    copied = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert copied == made
    assert {made, copied} == {made}
