"""FP16 extremes can be judged in the backward pass: neither the right gradients nor their rounding overflow."""

from __future__ import annotations

import pytest
import torch

from stimuli.space import BACKWARD_SPACE
from stimuli.suites import suite
from verification.dut import find_duts

DUT = "bsa.backward"
NIGHT = pytest.mark.nightly
LARGEST = torch.finfo(torch.float16).max


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=NIGHT if one != "pairwise" else ()) for one in ("pairwise", "triples", "soak")]
)
def test_references_are_finite_in_fp16(name: str) -> None:
    """Every case of the suite with ±65504 in V has references that FP16 holds."""
    dut = find_duts()[DUT]
    cases = [
        case
        for case in suite(name, DUT).cases
        if case.params.get("values") == "extremes" and case.params.get("dtype", "float16") == "float16"
    ]
    assert cases
    for case in cases:
        for stimulus in dut.stimuli(case):
            references = dut.references(stimulus)
            for output, gold in references.gold.items():
                assert float(gold.abs().max()) < LARGEST, (case.name, output)
                assert bool(torch.isfinite(references.same[output]).all()), (case.name, output)


@pytest.mark.parametrize("bin_name", BACKWARD_SPACE.axis("dout").names)
def test_a_small_gradient_is_its_kind_again(bin_name: str) -> None:
    """A case made with the small dO lies in the bin that it was made for, and so does one made before there was one."""
    assignment = {**BACKWARD_SPACE.defaults(), "values": "extremes", "dout": bin_name}
    made = BACKWARD_SPACE.build(assignment)
    plain = BACKWARD_SPACE.build({**assignment, "values": "uniform"})
    assert (made["dout"] == plain["dout"]) == (bin_name == "zero")
    assert BACKWARD_SPACE.observe(made)["dout"] == bin_name
    assert BACKWARD_SPACE.observe({**made, "dout": plain["dout"]})["dout"] == bin_name
    other = BACKWARD_SPACE.observe({**made, "values": "uniform"})["dout"]
    assert other == (bin_name if bin_name == "zero" else None)
    assert BACKWARD_SPACE.build({**assignment, "dtype": "bfloat16"})["dout"] == plain["dout"]
