"""Running a case's program in this process: the same for every backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext

import torch

from stimuli.case import Case
from verification.backends.observation import Returned
from verification.dut import Call, Dut
from verification.faults import plant
from verification.scoreboard import digests, integrity


def execute(
    case: Case, dut: Dut, call: Call, *, around: Callable[[], AbstractContextManager[object]] = nullcontext
) -> Iterator[Returned]:
    """Runs the calls of a case, each checked for what it did to its inputs.

    The outputs are copied at once, so that a later call which reuses their storage changes nothing that was returned.

    Args:
        case: the case.
        dut: its DUT.
        call: how to run it.
        around: makes what each call of the DUT, and nothing else, runs in.

    Yields:
        One result a call.

    Raises:
        Exception: whatever the DUT raises.
    """
    for stimulus in dut.stimuli(case):
        before = digests(stimulus.tensors)
        planted = plant(call.fault, stimulus)
        with around():
            outputs = dut.call(planted, call)
        yield Returned(
            outputs={name: tensor.detach().clone() for name, tensor in outputs.items()},
            digests_before=before,
            digests_after=digests(stimulus.tensors),
            shared=shared_storage(outputs, stimulus.tensors),
            tasks_expected=dut.expects_tasks(stimulus),
        )


def shared_storage(outputs: Mapping[str, torch.Tensor], others: Mapping[str, torch.Tensor]) -> tuple[str, ...]:
    """Pairs ``output = other`` whose storages overlap, empty storages aside."""
    return integrity.overlapping(_ranges(outputs), _ranges(others))


def _ranges(tensors: Mapping[str, torch.Tensor]) -> list[integrity.StorageRange]:
    return [integrity.storage_range(name, tensor) for name, tensor in tensors.items()]
