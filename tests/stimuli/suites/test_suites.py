"""The suites hold the cases they promise."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from stimuli import published
from stimuli.attention import build_forward
from stimuli.backward import build_chain
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.field import SOURCES
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE
from stimuli.space.frozen import assignments
from stimuli.suite import SuiteSpec
from stimuli.suites import (
    BACKWARD_DUT,
    CHAIN_DUT,
    FORWARD_DUT,
    backward_suites,
    chain_suites,
    forward_suites,
    suite,
)

SUITES = {item.name: item for item in forward_suites()}
BACKWARD = {item.name: item for item in backward_suites()}
ALL = (*forward_suites(), *backward_suites(), *chain_suites())
CASES = [case for item in ALL if item.name not in ("triples", "soak") for case in item.cases]
MAKERS = {FORWARD_DUT: build_forward, BACKWARD_DUT: build_chain, CHAIN_DUT: build_chain}
HUGE = 32 * 16384


def test_sizes() -> None:
    """As many cases as were published; at most twelve for smoke."""
    assert {name: len(item.cases) for name, item in SUITES.items()} == {
        "smoke": 12,
        "published": 17,
        "published-fine": 34,
        "published-seeds": 340,
        "perf": 4,
        "published-newer": 4,
        "field": 79,
        "faults": 7,
        "pairwise": 146,
        "triples": len(assignments(FORWARD_SPACE, 3)),
        "soak": 100,
        "properties": 86,
    }
    assert {name: len(item.cases) for name, item in BACKWARD.items()} == {
        "smoke": 12,
        "published": 19,
        "published-fine": 38,
        "published-seeds": 380,
        "perf": 4,
        "field": 81,
        "field-crossed": 81,
        "pairwise": 148,
        "triples": len(assignments(BACKWARD_SPACE, 3)),
        "soak": 100,
        "properties": 84,
    }


def test_nightly() -> None:
    """Large suites wait for the night."""
    assert {item.name for item in ALL if item.nightly} == {
        "published-newer",
        "published-fine",
        "published-seeds",
        "field-crossed",
        "triples",
        "soak",
    }


@pytest.mark.parametrize("suites", [forward_suites, backward_suites, chain_suites])
def test_names_and_ids_are_unique(suites: Callable[[], tuple[SuiteSpec, ...]]) -> None:
    """No two cases of a DUT share a name or make the same stimulus."""
    cases = [case for item in suites() for case in item.cases]
    assert max(Counter(case.name for case in cases).values()) == 1
    assert max(Counter(case.id for case in cases).values()) == 1


def test_equal_published_rows_differ_in_seed() -> None:
    """``MHA S512`` is ``S512 Sparse70`` again, so it gets another seed."""
    by_name = {case.name: case for case in BACKWARD["published"].cases}
    assert by_name["MHA S512"].params == by_name["S512 Sparse70"].params
    assert (by_name["S512 Sparse70"].seed, by_name["MHA S512"].seed) == (0, 100)
    assert {case.seed for case in BACKWARD["published-seeds"].cases} == {*range(1, 21), *range(101, 121)}


def test_one_mask_under_three_names() -> None:
    """``MHA Dense``, ``MHA sparse0.3`` and ``MHA sparse0.7`` are one block, always selected."""
    by_name = {case.name: case for case in BACKWARD["published"].cases}
    names = ("MHA Dense", "MHA sparse0.3", "MHA sparse0.7")
    masks = [build_chain(by_name[name].params, 0).tensors["block_sparse_mask"].view() for name in names]
    assert all(mask.shape == (1, 4, 1, 1) and mask.all() for mask in masks)


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
    """Each bug report has a forward case in either run mode."""
    mine = [case for case in SUITES["field"].cases if case.name.startswith(f"field/{number} ")]
    assert {mode for case in mine for mode in case.modes} == {"sim", "npu"}
    assert all(case.source == SOURCES[number] for case in mine)


@pytest.mark.parametrize("number", [f"F{number:02d}" for number in range(1, 14)])
def test_backward_field_is_complete(number: str) -> None:
    """F01 to F13 have backward cases in both layouts and both dtypes."""
    cases = [*BACKWARD["field"].cases, *BACKWARD["field-crossed"].cases]
    mine = [case for case in cases if case.name.startswith(f"field/{number} ")]
    variants = {(case.params.get("layout", "BNSD"), case.params.get("dtype", "float16")) for case in mine}
    assert variants == {(layout, dtype) for layout in ("BNSD", "TND") for dtype in ("float16", "bfloat16")}


def _drawn(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of what is drawn: without the form of the LSE and the kernel's configuration."""
    return {name: value for name, value in params.items() if name not in ("lse_form", "config")}


@pytest.mark.parametrize("case", [case for case in CASES if "seed" not in case.name], ids=lambda case: case.name)
def test_case_can_be_made(case: Case) -> None:
    """Every case survives JSON and has parameters that a maker accepts."""
    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
    small = {**case.params, "head_dim": 16}
    if case.params.get("seq_q", 0) * case.params.get("heads_q", 1) < HUGE:
        assert MAKERS[case.dut](_drawn(small), case.seed).tensors["query"].shape[-1] == 16


def test_another_dut() -> None:
    """The same suites serve any DUT with the same interface, under ids of its own."""
    ours, theirs = suite("published"), {item.name: item for item in forward_suites("their.forward")}["published"]
    assert [case.params for case in ours.cases] == [case.params for case in theirs.cases]
    assert not {case.id for case in ours.cases} & {case.id for case in theirs.cases}


def test_unknown_suite() -> None:
    """An unknown suite is refused with the suites there are."""
    with pytest.raises(StimulusError, match=r"suite = 'all' cannot be used: give one of smoke, published"):
        suite("all")
    with pytest.raises(StimulusError, match=r"dut = 'bsa' cannot be used: give one of bsa\.forward"):
        suite("smoke", "bsa")
