"""Wrong-by-construction kernels are caught, on the real simulator, by the cases directed at them."""

import pytest
from attempts import attempt

from verification.backends import open_backend
from verification.mutants import MUTANTS

ORACLE = {name: mutant for name, mutant in MUTANTS.items() if not mutant.directed[0].startswith("properties/")}
"""Mutants for the oracle; the others are for the relations of properties (tests/verification/properties)."""


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


@pytest.mark.parametrize("name", sorted(ORACLE))
def test_mutant_is_killed(backend, tmp_path, name):
    """A directed case fails for the mutant, by its outputs, and the record is synthetic."""
    mutant = MUTANTS[name]
    for case in mutant.directed:
        record = attempt(backend, tmp_path, mutant.dut, case, fault=name)
        assert record.synthetic
        assert record.verdict in ("PASS", "FAIL"), record.reason
        if record.verdict == "FAIL":
            assert any(not output.passed for output in record.outputs), record.reason
            return
    raise AssertionError(f"{name} survived {mutant.directed}: {mutant.fault}")


@pytest.mark.parametrize(("dut", "case"), sorted({(m.dut, case) for m in ORACLE.values() for case in m.directed}))
def test_directed_cases_pass_without_a_mutant(backend, tmp_path, dut, case):
    """The kernel itself passes the cases that kill its mutants."""
    record = attempt(backend, tmp_path, dut, case)
    assert record.verdict == "PASS", record.reason
