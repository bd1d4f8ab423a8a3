"""Checks on the run itself."""

from __future__ import annotations

import math

import pytest
import torch

from verification.scoreboard import digests, integrity


def _tensors() -> dict[str, torch.Tensor]:
    return {"query": torch.ones(2, 3), "key": torch.zeros(4, dtype=torch.float16)}


def test_unchanged_inputs_pass() -> None:
    """Equal digests."""
    check = integrity.inputs_unchanged(digests(_tensors()), digests(_tensors()))
    assert (check.rule, check.passed, check.ratio, check.detail) == ("integrity:inputs", True, 0.0, "")


def test_one_changed_bit_of_an_input_fails() -> None:
    """The input is named; even -0 for 0 is a change."""
    before, tensors = digests(_tensors()), _tensors()
    tensors["key"][2] = -0.0
    check = integrity.inputs_unchanged(before, digests(tensors))
    assert not check.passed
    assert check.detail == "the DUT changed its input key"
    assert check.ratio == math.inf


def test_a_missing_input_fails() -> None:
    """An input that was not hashed afterwards is not known to be unchanged."""
    check = integrity.inputs_unchanged(digests(_tensors()), {})
    assert check.detail == "the DUT changed its input key, query"


def test_other_inputs_than_the_references_fail() -> None:
    """The DUT must have seen what the oracle saw."""
    check = integrity.same_inputs({"query": "a"}, {"query": "b"})
    assert (check.rule, check.passed) == ("integrity:stimulus", False)


def test_changed_references_fail() -> None:
    """References are frozen before the run."""
    check = integrity.references_unchanged({"out": "a"}, {"out": "b"})
    assert (check.rule, check.passed) == ("integrity:references", False)


@pytest.mark.parametrize("view", [lambda t: t, lambda t: t[1:], lambda t: t.T, lambda t: t.view(-1)[-1:]])
def test_any_view_of_an_input_shares_its_storage(view: object) -> None:
    """The whole storage counts, not the part that a view shows."""
    given = torch.ones(4, 4)
    ranges = [integrity.storage_range("out", view(given))]  # type: ignore[operator]
    shared = integrity.overlapping(ranges, [integrity.storage_range("query", given)])
    assert shared == ("out = query",)
    assert not integrity.no_shared_storage(shared).passed


def test_storage_of_its_own_passes() -> None:
    """A clone shares nothing, and neither do two empty tensors."""
    given = torch.ones(4, 4)
    others = [integrity.storage_range("query", given), integrity.storage_range("mask", torch.empty(0))]
    ranges = [integrity.storage_range("out", given.clone()), integrity.storage_range("lse", torch.empty(0))]
    shared = integrity.overlapping(ranges, others)
    assert shared == ()
    assert integrity.no_shared_storage(shared).passed


@pytest.mark.parametrize(
    ("tasks", "expected", "passes"), [(5, True, True), (0, True, False), (None, True, False), (0, False, True)]
)
def test_kernel_tasks_must_have_run_where_there_was_work(tasks: int | None, expected: bool, passes: bool) -> None:
    """No account of tasks is as bad as no task."""
    assert integrity.tasks_ran(tasks, expected=expected).passed is passes


@pytest.mark.parametrize(
    ("found", "expected", "passes"), [(True, True, True), (False, True, False), (False, False, True)]
)
def test_a_run_leaves_a_log(found: bool, expected: bool, passes: bool) -> None:
    """Where there was work."""
    assert integrity.log_found(found, expected=expected).passed is passes
