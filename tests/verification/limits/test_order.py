"""Limit 13 in sim, by order: every wrapper waits before a launch and after it, and a missing wait is named."""

import re
from collections.abc import Iterator

import pytest
import torch
from attempts import attempt_entry

from tests.support.warm_process import WarmProcess
from tests.verification.limits import order_calls
from verification.backends import open_backend
from verification.dut import find_duts, waits
from verification.duts.pypto_limits import removal_case
from verification.limits.order import LaunchOrder, UnfinishedError
from verification.limits.removals import REMOVALS
from verification.plan import PlanEntry


@pytest.fixture(scope="module")
def forked() -> Iterator[WarmProcess]:
    process = WarmProcess()
    yield process
    process.close()


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_wrapper_waits_before_and_after(forked, name):
    """Two calls back to back: two launches, nothing unfinished."""
    out, dirty, launches, waits = forked(order_calls.run, name, calls=2)
    assert (dirty, launches) == ([], 2)
    assert waits >= 4
    assert not out.isnan().any()


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_missing_wait_before_the_launch_is_named(forked, tmp_path, name):
    """With the argument and what wrote it."""
    with pytest.raises(UnfinishedError, match=r"launch 1: argument \d+ was written by aten\."):
        forked(order_calls.run, name, without=order_calls.BEFORE, folder=str(tmp_path))


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_missing_wait_after_the_launch_is_named(forked, tmp_path, name):
    """The wrapper fills rows of the results that the kernel may still be writing."""
    with pytest.raises(UnfinishedError, match="may still be writing"):
        forked(order_calls.run, name, without=order_calls.AFTER, folder=str(tmp_path))


@pytest.mark.parametrize("dut", ["forward", "backward"])
def test_every_case_in_sim_is_checked(tmp_path, dut):
    """A wrapper that stops waiting fails its cases, and the record says which argument was not finished."""
    removal = next(one for one in REMOVALS if one.name == f"{dut}-without-13")
    backend = open_backend("sim", {})
    try:
        record = attempt_entry(backend, tmp_path, PlanEntry(case=removal_case(removal), suites=("removals",)))
    finally:
        backend.close()
    assert record.verdict == "FAIL"
    assert re.match(r"raised UnfinishedError: launch 1: argument \d+ was written by aten\.", record.reason)


def test_duts_whose_wrappers_are_checked():
    """All of ours; a probe of a limit has no wrapper."""
    duts = find_duts()
    assert {name for name, dut in duts.items() if waits(dut)} >= {"bsa.forward", "bsa.backward", "bsa.autograd"}
    assert not waits(duts["pypto.limits"])


def test_poison_makes_a_missing_wait_fail_by_its_numbers(forked, tmp_path):
    """Unfinished arguments are NaN, so that a judge of results sees it."""
    out, dirty, _, _ = forked(order_calls.run, "forward", without=order_calls.BEFORE, folder=str(tmp_path), poison=True)
    assert dirty
    assert out.isnan().any()


def test_what_counts_as_written():
    """In-place operations and new tensors; views and reads do not; a synchronize finishes all."""
    x = torch.ones(4, 4)
    with LaunchOrder() as order:
        order.launch([x])
        order.synchronize()
        view = x[1:].transpose(0, 1)
        order.launch([x, view])
        order.synchronize()
        x.add_(1)
        with pytest.raises(UnfinishedError, match=r"argument 2 was written by aten\.add_"):
            order.launch([torch.empty(4), view])
        order.synchronize()
        y = x + 1
        with pytest.raises(UnfinishedError, match=r"argument 1 was written by aten\.add\."):
            order.launch([y])
