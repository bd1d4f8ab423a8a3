"""What a binding may say beside the protocol's members is declared, and optional."""

from __future__ import annotations

import pytest

from verification.dut import Dut, Explainable, find_duts


@pytest.mark.parametrize(
    ("name", "explainable"), [("bsa.forward", True), ("bsa.backward", True), ("toy.double", False)]
)
def test_dataflow_is_optional(name: str, explainable: bool) -> None:
    """A DUT without it is one all the same."""
    dut = find_duts()[name]
    assert isinstance(dut, Dut)
    assert isinstance(dut, Explainable) is explainable
