"""A wrong case is refused with the argument, the value and what is legal."""

from __future__ import annotations

from typing import Any

import pytest

from stimuli.case import Case, case
from stimuli.errors import StimulusError


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("dut", ""),
        ("dut", "a/b"),
        ("params", ["batch"]),
        ("params", {"x": float("nan")}),
        ("params", {"x": object()}),
        ("program", {}),
        ("program", {"kind": 3}),
        ("seed", -1),
        ("seed", True),
        ("seed", 1.0),
        ("seed", 2**63),
        ("modes", ()),
        ("modes", "sim"),
        ("modes", ("gpu",)),
        ("expect", "refuse"),
        ("expect", "refused: "),
        ("name", "two\nlines"),
        ("source", 3),
    ],
)
def test_wrong_field(argument: str, value: Any) -> None:
    """The error names the field and shows the value."""
    content: dict[str, Any] = {"dut": "d", "params": {}, argument: value}
    with pytest.raises(StimulusError) as caught:
        Case(**content)
    assert caught.value.argument == argument
    assert f"{argument} = " in str(caught.value)
    assert caught.value.legal


@pytest.mark.parametrize(
    ("data", "argument"),
    [
        ([], "case"),
        ({"dut": "d", "params": {}, "sed": 1}, "case.sed"),
        ({"dut": "d"}, "case.params"),
        ({"params": {}}, "case.dut"),
    ],
)
def test_wrong_json(data: Any, argument: str) -> None:
    """An unknown or missing field is named."""
    with pytest.raises(StimulusError) as caught:
        Case.from_json(data)
    assert caught.value.argument == argument


def test_unknown_axis() -> None:
    """A parameter that is no axis is refused with the axes that are."""
    with pytest.raises(StimulusError, match=r"params\.head = 3 cannot be used: give one of the axes batch, heads"):
        case("d", {"heads": 1, "batch": 1}, head=3)
