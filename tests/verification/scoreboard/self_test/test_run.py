"""The judge judged: right numbers from a run that proves nothing."""

from __future__ import annotations

import pytest
import torch

from tests.verification.scoreboard.attention_data import data
from verification.scoreboard import digests, integrity
from verification.scoreboard.selftest import Recipe, attend


def _inputs() -> dict[str, torch.Tensor]:
    problem, _ = data()
    return {name: getattr(problem, name).clone() for name in ("query", "key", "value", "mask")}


@pytest.mark.parametrize("name", ["query", "key", "value", "mask"])
def test_a_kernel_that_changes_an_input_fails(name: str) -> None:
    """One element of one input."""
    inputs = _inputs()
    before = digests(inputs)
    inputs[name].view(-1)[-1] = 0 if inputs[name].view(-1)[-1] else 1
    assert not integrity.inputs_unchanged(before, digests(inputs)).passed


def test_a_kernel_that_returns_the_storage_of_the_reference_fails() -> None:
    """Its numbers are right, of course."""
    _, right = data()
    outputs = {"out": right.same["out"], "lse": right.same["lse"]}
    given = [integrity.storage_range(name, tensor) for name, tensor in right.same.items()]
    returned = [integrity.storage_range(name, tensor) for name, tensor in outputs.items()]
    check = integrity.no_shared_storage(integrity.overlapping(returned, given))
    assert not check.passed
    assert check.value == 2.0


def test_a_kernel_that_returns_an_input_fails() -> None:
    """A view of the value."""
    inputs = _inputs()
    returned = [integrity.storage_range("out", inputs["value"][:, :1])]
    given = [integrity.storage_range(name, tensor) for name, tensor in inputs.items()]
    assert integrity.overlapping(returned, given) == ("out = value",)


def test_a_kernel_that_ran_no_task_fails() -> None:
    """The host computed the numbers."""
    assert not integrity.tasks_ran(0, expected=True).passed


def test_a_run_that_left_no_log_fails() -> None:
    """Nobody can say what ran."""
    assert not integrity.log_found(False, expected=True).passed


def test_a_run_that_changed_the_reference_fails() -> None:
    """The reference was frozen before."""
    _, right = data()
    gold = {name: tensor.clone() for name, tensor in right.gold.items()}
    before = digests(gold)
    gold["out"].copy_(attend(data()[0], Recipe())["out"])
    assert not integrity.references_unchanged(before, digests(gold)).passed
