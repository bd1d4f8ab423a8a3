"""Estimates of memory: never below a measured peak, never so far above it that a case that fits is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stimuli import chain, field, published
from verification.duts.bsa_autograd import DUT as CHAIN
from verification.duts.bsa_backward import DUT as BACKWARD
from verification.duts.bsa_forward import DUT as FORWARD

DUTS = {dut.name: dut for dut in (FORWARD, BACKWARD, CHAIN)}
CASES = {
    "bsa.forward": published.fine_cases("bsa.forward", "forward"),
    "bsa.backward": (
        *published.fine_cases("bsa.backward", "backward"),
        *field.backward_cases("bsa.backward", (field.PLAIN, *field.CROSSED)),
    ),
    "bsa.autograd": chain.cases("bsa.autograd"),
}
MEASURED = [
    ("bsa.backward", "B2 MHA S1024 at 64x64", 9552),
    ("bsa.backward", "S1024 Sparse30 at 64x64", 4262),
    ("bsa.backward", "B2 VarLen at 64x64", 1625),
    ("bsa.backward", "field/F11 bsnd", 803),
    ("bsa.backward", "field/F13 repeated", 2434),
    ("bsa.backward", "field/F06 Hq14 Hkv2", 1301),
    ("bsa.forward", "B2 MHA S1024 at 64x64", 6302),
    ("bsa.forward", "GQA Hq32 at 64x64", 2197),
    ("bsa.autograd", "chain/tails", 962),
]
"""DUT, case, and the peak in MiB that its record holds."""


def estimate(dut: str, name: str) -> int:
    """Return the estimate for a case in sim."""
    case = next(case for case in CASES[dut] if case.name == name)
    return DUTS[dut].capacity(case, "sim").bytes


@pytest.mark.parametrize(("dut", "name", "peak"), MEASURED)
def test_between_the_measured_peak_and_twice_that(dut: str, name: str, peak: int) -> None:
    """An upper bound, within a factor of two."""
    assert peak << 20 <= estimate(dut, name) <= 2 * peak << 20


@pytest.mark.parametrize("dut", sorted(CASES))
def test_published_and_field_cases_fit_into_24_gib(dut: str) -> None:
    """Each alone, in half of such a machine; those at fine blocks included."""
    wanted = [case for case in CASES[dut] if "sim" in case.modes]
    assert max(DUTS[dut].capacity(case, "sim").bytes for case in wanted) < 12 << 30


def test_repeats_add_up_and_a_card_copies_nothing() -> None:
    """A process that makes two calls keeps the memory of both; on a card nothing is interpreted."""
    once = next(case for case in CASES["bsa.backward"] if case.name == "MHA S1024 at 64x64")
    twice = replace(once, program={"kind": "repeat", "times": 2})
    base = replace(once, program={"kind": "repeat", "times": 0})
    need = [BACKWARD.capacity(case, "sim").bytes for case in (base, once, twice)]
    assert abs(need[2] - need[1] - (need[1] - need[0])) <= 1
    assert BACKWARD.capacity(once, "npu").bytes < need[1]
