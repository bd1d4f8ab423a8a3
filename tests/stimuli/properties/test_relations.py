"""Relations: the calls that each makes, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from stimuli.attention import make_forward
from stimuli.backward import backward_steps
from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.programs import calls, steps
from stimuli.properties import RELATIONS
from stimuli.stimulus import MASK, Stimulus
from stimuli.suites import suite

SMALL: dict[str, Any] = {"seq_q": 32, "seq_kv": 48, "head_dim": 16, "block_shape": [16, 16], "mask": "dense"}
SUITABLE: dict[str, dict[str, Any]] = {
    "padding-poison": {**SMALL, "lengths_q": [20], "lengths_kv": [17]},
    "batch-slice": {**SMALL, "batch": 2},
    "head-slice": {**SMALL, "heads_q": 2},
    "gqa-expanded": {**SMALL, "heads_q": 2},
}


def made(relation: str, options: dict[str, Any] | None = None, **params: Any) -> list[Stimulus]:
    """The calls of a small forward case."""
    case = property_case(relation, options, **params)
    return list(steps(case, make_forward))


def property_case(relation: str, options: dict[str, Any] | None = None, **params: Any) -> Case:
    """A small case of one relation."""
    program = {"kind": "property", "relation": relation, **(options or {})}
    return Case(dut="bsa.forward", params={**SUITABLE.get(relation, SMALL), **params}, program=program)


@pytest.mark.parametrize("relation", RELATIONS)
def test_number_of_calls(relation: str) -> None:
    """A relation makes as many calls as it says, which is what the capacity estimate counts on."""
    case = property_case(relation)
    assert len(list(steps(case, make_forward))) == calls(case) == RELATIONS[relation].calls
    assert len(list(backward_steps(case))) == calls(case)


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_directed_cases(relation: str, dut: str) -> None:
    """Every relation has six cases or more for each DUT, named after it, all of them different stimuli."""
    cases = [case for case in suite("properties", dut).cases if case.program["relation"] == relation]
    assert len({case.id for case in cases}) == len(cases) >= 6
    assert all(case.name.startswith(f"properties/{relation}: ") for case in cases)


def test_texts() -> None:
    """Every relation says in words what it is, and how exactly it must hold and why."""
    for relation in RELATIONS.values():
        assert relation.text
        assert relation.limit.startswith(("equal:", "one rounding", "two roundings"))


@pytest.mark.parametrize(
    ("relation", "params", "argument"),
    [
        ("padding-poison", {"lengths_q": None, "lengths_kv": None}, "lengths_q"),
        ("batch-slice", {"batch": 1}, "batch"),
        ("head-slice", {"heads_q": 1}, "heads_q"),
        ("gqa-expanded", {"heads_kv": 2}, "heads_q"),
        ("permute-q", {"layout": "TND"}, "layout"),
        ("permute-q", {"seq_q": 31}, "seq_q"),
        ("permute-kv", {"lengths_kv": [20]}, "seq_kv"),
        ("permute-kv", {"mask": "none"}, "mask"),
        ("merge-halves", {"seq_kv": 16}, "seq_kv"),
        ("edited-mask", {"mask": "diagonal"}, "mask"),
        ("shift", {"scale": None}, "program.by"),
    ],
)
def test_what_makes_no_sense_is_refused(relation: str, params: dict[str, Any], argument: str) -> None:
    """A stimulus that says nothing about the relation is an error that names the argument."""
    options = {"by": 0.5} if relation == "shift" else {}
    with pytest.raises(StimulusError) as error:
        made(relation, options, **params)
    assert error.value.argument == argument


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        ({"relation": "unknown"}, "program.relation"),
        ({}, "program.relation"),
        ({"relation": "repeat", "by": 2}, "program.by"),
        ({"relation": "repeat", "times": 2}, "program.times"),
    ],
)
def test_wrong_program(program: dict[str, Any], argument: str) -> None:
    """An unknown relation, or an option that it does not have."""
    case = Case(dut="bsa.forward", params=SMALL, program={"kind": "property", **program})
    with pytest.raises(StimulusError) as error:
        list(steps(case, make_forward))
    assert error.value.argument == argument


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_are_exact(dtype: str) -> None:
    """V + W of the linearity, and K + c of the shift, are not rounded."""
    first, second, both = (call.tensors["value"].double() for call in made("linearity", dtype=dtype))
    assert torch.equal(first + second, both)
    assert not torch.equal(first, second)
    plain, moved = (call.tensors["key"].double() for call in made("shift", {"by": -16}, dtype=dtype))
    assert torch.equal(plain - 16, moved)


def test_mask_is_edited_in_place() -> None:
    """The second call has the storage of the first and the contents of the third."""
    storages, contents = [], []
    for call in steps(property_case("edited-mask"), make_forward):
        storages.append(call.tensors[MASK].data_ptr())
        contents.append(call.tensors[MASK].clone())
    assert storages[0] == storages[1] != storages[2]
    assert torch.equal(contents[1], contents[2])
    assert not torch.equal(contents[0], contents[1])


def test_strides_differ_and_elements_do_not() -> None:
    """Views of the strided relation hold the same elements in other places."""
    first, *others = made("strided", heads_q=2)
    for other in others:
        assert torch.equal(first.tensors["query"], other.tensors["query"])
        assert not other.tensors["query"].is_contiguous()


def test_padding_is_all_that_changes() -> None:
    """The rows that count are the same; what lies beyond is 0, NaN, then Inf and 1e3."""
    found = made("padding-poison")
    assert all(torch.equal(call.tensors["query"][:, :, :20], found[0].tensors["query"][:, :, :20]) for call in found)
    beyond = [float(call.tensors["key"][0, 0, 17, 0]) for call in found]
    assert beyond[0] == 0.0
    assert beyond[1] != beyond[1]
    assert beyond[2] == float("inf")
    assert float(found[2].tensors["query"][0, 0, 20, 0]) == 1000.0
