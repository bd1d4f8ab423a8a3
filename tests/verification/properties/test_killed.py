"""Each relation notices a wrong kernel on the real simulator, without any reference."""

import pytest

from stimuli.properties import RELATIONS, relation_of
from verification.backends import open_backend
from verification.dut import Call, find_duts
from verification.mutants import MUTANTS
from verification.plan import Budget
from verification.properties import judge_relation
from verification.selection import find_case

DUT = "bsa.forward"
KILLERS = {name: mutant.directed[0] for name, mutant in MUTANTS.items() if mutant.directed[0].startswith("properties/")}
QUICK = ("tables-by-address", "keys-of-batch-0", "maximum-not-subtracted")


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


def failures(backend, name, *, fault):
    """What the relation of a case finds wrong, from the calls of the kernel alone."""
    duts = find_duts()
    case, dut = find_case({DUT: duts[DUT]}, name).case, duts[DUT]
    observation = backend.run(case, dut, Call(fault=fault), Budget(seconds=300.0, bytes=6 << 30))
    backend.finish(None)
    assert observation.ended == "returned", (observation.error, observation.stderr_tail)
    facts = [stimulus.facts for stimulus in dut.stimuli(case)]
    outputs = [call.outputs for call in observation.calls]
    results = judge_relation(relation_of(case), outputs, facts, dut.outputs(case), dtype="float16")
    assert results
    return [result.name for result in results if not result.passed]


def test_every_relation_has_a_killer():
    """There is a wrong kernel for each relation."""
    assert {name.removeprefix("properties/").split(":")[0] for name in KILLERS.values()} == set(RELATIONS)


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.nightly) for n in KILLERS])
def test_relation_kills(backend, name):
    """The wrong kernel breaks the relation."""
    assert failures(backend, KILLERS[name], fault=name)


@pytest.mark.nightly
@pytest.mark.parametrize("case", sorted(set(KILLERS.values())))
def test_right_kernel_keeps_the_relation(backend, case):
    """The kernel itself does not break the relations that kill the wrong ones."""
    assert failures(backend, case, fault="") == []
