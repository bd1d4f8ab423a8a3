"""Probes on the real simulator: what is expected is what is seen."""

import pytest
import torch

from bsa import _pypto
from verification.dut import find_duts
from verification.duts.pypto_limits import NAME, probe_case
from verification.limits import LIMITS
from verification.limits.comparing import difference, empty_output
from verification.limits.expectation import expectation_for
from verification.limits.limit import FORBIDDEN, WORKAROUND
from verification.limits.survey import survey

ALL = [(limit.number, probe.name) for limit in LIMITS.values() for probe in limit.probes]
FEW = [(2, "explicit-cond"), (21, "assign"), (9, "accumulate")]
"""One that raises, one with wrong numbers, one that works."""


def _survey(keys):
    expectation = expectation_for(_pypto.installed_version())
    jobs = [(LIMITS[number], LIMITS[number].probe(name), None) for number, name in keys]
    jobs = [(limit, probe, probe_case(limit, probe, expectation)) for limit, probe, _ in jobs]
    return survey(jobs, find_duts()[NAME]), expectation


@pytest.mark.parametrize("keys", [FEW, pytest.param(ALL, marks=pytest.mark.nightly)], ids=["few", "all"])
def test_probes_show_what_is_expected(keys):
    """Status by status, and a simulated time where a kernel ran."""
    found, expectation = _survey(keys)
    expected = {key: expectation.finding("sim", *key) for key in keys}
    assert {key: one.finding for key, one in found.items()} == expected
    ran = [one for one in found.values() if not one.finding.evidence]
    assert all(one.model_us is not None and one.model_us > 0 for one in ran)


def test_every_published_limit_has_probes():
    """1 to 13 without a gap; each of them with a forbidden form, and all but the last with a workaround."""
    assert list(LIMITS)[:13] == list(range(1, 14))
    for limit in LIMITS.values():
        roles = {probe.role for probe in limit.probes}
        assert FORBIDDEN in roles
        assert WORKAROUND in roles or limit.number == 13


def test_forms_that_the_issue_asks_for():
    """#7 three forms, #11 six tile shapes, #12 two, #10 four."""
    counts = {number: sum(probe.role != WORKAROUND for probe in LIMITS[number].probes) for number in (7, 10, 11, 12)}
    assert counts[7] == 3
    assert counts[10] == 4
    assert counts[11] >= 6
    assert counts[12] == 2


@pytest.mark.parametrize(("number", "name"), ALL)
def test_an_untouched_output_is_wrong(number, name):
    """A probe whose kernel writes nothing cannot look right."""
    probe = LIMITS[number].probe(name)
    inputs = probe.inputs(0)
    output = empty_output(probe, inputs)
    assert difference(output, probe.answer(*inputs))
    assert not difference(probe.answer(*inputs).to(output.dtype), probe.answer(*inputs))


def test_sum_beyond_fp16_is_seen():
    """One unit in 2049 is a difference: the published tolerance would let it pass."""
    assert difference(torch.tensor([2048.0]), torch.tensor([2049.0]))
