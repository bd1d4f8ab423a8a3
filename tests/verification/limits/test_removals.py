"""Workarounds that are taken out of our kernels are missed at once."""

import importlib
from pathlib import Path

import pytest
from attempts import attempt_entry

from verification.backends import open_backend
from verification.duts.pypto_limits import removal_case
from verification.limits.removals import REMOVALS, caught_by
from verification.limits.tags import uses
from verification.mutants import mutate
from verification.plan import PlanEntry

FAILED = ("FAIL", "CRASH")


@pytest.fixture(scope="module")
def backend():
    opened = open_backend("sim", {})
    yield opened
    opened.close()


@pytest.mark.parametrize("removal", REMOVALS, ids=lambda one: one.name)
def test_removal_fits_the_kernel(removal):
    """Each edit finds its place in the source as it is."""
    source = Path(importlib.import_module(removal.mutant.module).__file__).read_text(encoding="utf-8")
    assert mutate(source, removal.mutant) != source


@pytest.mark.parametrize("removal", REMOVALS, ids=lambda one: one.name)
def test_removal_is_at_a_tagged_limit(removal):
    """What a removal takes out is tagged in that DUT."""
    from verification.dut import find_duts

    tagged = uses(find_duts()[removal.mutant.dut].kernel_sources())
    assert removal.number in {use.number for use in tagged}


def test_names_are_unique():
    """A name means one removal, and both DUTs' are known by limit."""
    assert len({removal.name for removal in REMOVALS}) == len(REMOVALS)
    assert set(caught_by()[11]) == {"bsa.forward", "bsa.backward"}


@pytest.mark.nightly
@pytest.mark.parametrize("removal", REMOVALS, ids=lambda one: one.name)
def test_removal_is_caught(backend, tmp_path, removal):
    """The case fails without the workaround."""
    entry = PlanEntry(case=removal_case(removal), suites=("removals",))
    record = attempt_entry(backend, tmp_path, entry)
    assert record.verdict in FAILED, f"survived: {record.verdict} {record.reason}"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "case", {removal.case.id: removal.case for removal in REMOVALS}.values(), ids=lambda one: one.name
)
def test_case_passes_with_the_workaround(backend, tmp_path, case):
    """And passes with it."""
    record = attempt_entry(backend, tmp_path, PlanEntry(case=case, suites=("removals",)))
    assert record.verdict == "PASS", record.reason
