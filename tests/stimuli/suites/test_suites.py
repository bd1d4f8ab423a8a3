"""The suites hold the cases they promise."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from stimuli import published
from stimuli.attention import build_forward
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.field import SOURCES
from stimuli.suites import forward_suites, suite

SUITES = {item.name: item for item in forward_suites()}
CASES = [case for item in SUITES.values() for case in item.cases]
HUGE = 4096


def test_sizes() -> None:
    """As many cases as were published; at most twelve for smoke."""
    assert {name: len(item.cases) for name, item in SUITES.items()} == {
        "smoke": 12,
        "published": 17,
        "published-newer": 4,
        "perf": 4,
        "field": 41,
        "faults": 7,
    }


def test_nightly() -> None:
    """Only the newer shapes wait for the night."""
    assert [item.name for item in SUITES.values() if item.nightly] == ["published-newer"]


def test_names_and_ids_are_unique() -> None:
    """No two cases share a name or make the same stimulus."""
    assert max(Counter(case.name for case in CASES).values()) == 1
    assert max(Counter(case.id for case in CASES).values()) == 1


def test_published_modes() -> None:
    """The published modes are 13 and 4 cases, and ``quick`` is three of them."""
    spec = SUITES["published"]
    names = {case.name for case in spec.cases}
    assert [len(spec.aliases[mode]) for mode in ("precision", "non-aligned", "quick")] == [13, 4, 3]
    assert set(spec.aliases["precision"]) | set(spec.aliases["non-aligned"]) == names
    assert spec.aliases["quick"] == ("S256 Sparse50", "S512 Sparse70", "B2 MHA S256")
    assert spec.gates == ("published",)


def test_published_shapes() -> None:
    """Shapes, densities and lengths are those of the table."""
    by_name = {case.name: case for case in SUITES["published"].cases}
    assert by_name["B2 GQA S256"].params == {
        "batch": 2,
        "heads_q": 8,
        "heads_kv": 2,
        "seq_kv": 512,
        "density": 0.5,
    }
    assert by_name["B2 VarLen S256-300"].params["lengths_kv"] == [256, 300]


def test_published_numbers() -> None:
    """Maxima, tolerance and times stand beside the cases."""
    assert published.tolerance() == (1e-4, 2.0**-7)
    assert published.maxima("S256 Sparse50") == {"O": 2.0**-13, "LSE": 2.4e-5}
    assert published.maxima("S300 NonAligned") == {"O": 2.0**-14}
    assert published.maxima("MHA Dense", "backward") == {"dQ": 2.0**-15, "dK": 2.0**-15, "dV": 2.0**-14}
    assert published.maxima("no such case") == {}
    assert list(published.performance()["forward_task"].values()) == [75, 92, 180, 820]


def test_perf_is_dense() -> None:
    """Suite perf holds the dense shapes with published times."""
    assert [case.params.get("seq_kv", 256) for case in SUITES["perf"].cases] == [256, 512, 1024, 2048]
    assert all(case.params["mask"] == "dense" for case in SUITES["perf"].cases)


@pytest.mark.parametrize("number", sorted(SOURCES))
def test_field_is_complete(number: str) -> None:
    """Each bug report has a case in either run mode."""
    mine = [case for case in SUITES["field"].cases if case.name.startswith(f"field/{number} ")]
    assert {mode for case in mine for mode in case.modes} == {"sim", "npu"}
    assert all(case.source == SOURCES[number] for case in mine)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_can_be_made(case: Case) -> None:
    """Every case survives JSON and has parameters that a maker accepts."""
    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
    small = {**case.params, "head_dim": 16}
    if case.params.get("seq_q", 0) * case.params.get("heads_q", 1) <= 8 * HUGE:
        assert build_forward(small, case.seed).tensors["query"].shape[-1] == 16


def test_another_dut() -> None:
    """The same suites serve any DUT with the same interface, under ids of its own."""
    ours, theirs = suite("published"), suite("published", "their.forward")
    assert [case.params for case in ours.cases] == [case.params for case in theirs.cases]
    assert not {case.id for case in ours.cases} & {case.id for case in theirs.cases}


def test_unknown_suite() -> None:
    """An unknown suite is refused with the suites there are."""
    with pytest.raises(StimulusError, match=r"suite = 'all' cannot be used: give one of smoke, published"):
        suite("all")
