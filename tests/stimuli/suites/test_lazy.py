"""Asking for one suite does not make the cases of the others."""

from __future__ import annotations

import pytest

from stimuli import suites
from stimuli.suites import BACKWARD_DUT, FORWARD_DUT, suite


@pytest.mark.parametrize("dut", [FORWARD_DUT, BACKWARD_DUT])
def test_generated_cases_are_made_when_they_are_looked_at(dut: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs, triples and soak are made on the first look, and only once."""
    made: list[object] = []
    covering, drawn = suites.covering_cases, suites.soak_cases
    monkeypatch.setattr(suites, "covering_cases", lambda *given: made.append(given[2]) or covering(*given))
    monkeypatch.setattr(suites, "soak_cases", lambda *given: made.append("soak") or drawn(*given))
    suite("smoke", dut)
    assert made == []
    pairs = suite("pairwise", dut).cases
    assert len(pairs) == len(list(pairs)) > 100
    assert made == [2]
