"""Right arithmetic keeps every relation with room to spare."""

import pytest

from stimuli.properties import RELATIONS, relation_of
from stimuli.suites import suite
from verification.dut import find_duts
from verification.properties import judge_relation

ROOM = 0.7
"""Error ÷ limit of right arithmetic, at most."""


def judged(dut_name, case, change=None):
    """The results of a property for the same-precision reference in place of a kernel."""
    dut = find_duts()[dut_name]
    outputs, facts = [], []
    for stimulus in dut.stimuli(case):
        outputs.append({name: tensor.clone() for name, tensor in dut.references(stimulus).same.items()})
        facts.append(stimulus.facts)
    if change is not None:
        change(outputs)
    dtype = case.params.get("dtype", "float16")
    return judge_relation(relation_of(case), outputs, facts, dut.outputs(case), dtype=dtype, blocks=(64, 64))


def cases_of(dut_name, relation):
    """The directed cases of one relation."""
    return [case for case in suite("properties", dut_name).cases if case.program["relation"] == relation]


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_same_precision_reference_keeps_the_relation(relation, dut):
    """Arithmetic of the kernel's precision stays well within the limit, and something is judged."""
    results = judged(dut, cases_of(dut, relation)[0])
    assert results
    for result in results:
        assert result.passed, result
        assert result.ratio < ROOM
        assert result.checks[0].rule == f"relation:{relation}"


@pytest.mark.nightly
@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_every_directed_case(relation, dut):
    """The same for all directed cases."""
    for case in cases_of(dut, relation):
        results = judged(dut, case)
        assert results
        assert all(result.ratio < ROOM for result in results), case.name


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_one_wrong_row_breaks_the_relation(relation, dut):
    """A row that one call returns 1 % too large is noticed, and the place is named."""

    def change(outputs):
        for tensor in outputs[-1].values():
            row = tensor.double().norm(dim=-1).argmax() if tensor.ndim == 4 else tensor.double().abs().argmax()
            (tensor.view(-1, tensor.shape[-1]) if tensor.ndim == 4 else tensor.view(-1))[row] *= 1.01

    failed = [result for result in judged(dut, cases_of(dut, relation)[0], change) if not result.passed]
    assert failed
    for result in failed:
        assert f"~{relation}@" in result.name
        assert "row" in result.location.text
        assert result.checks[0].value > result.checks[0].limit
