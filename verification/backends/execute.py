"""Running a case's program in this process: the same for every backend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from stimuli.case import Case
from verification.backends.observation import Returned
from verification.dut import Call, Dut
from verification.faults import plant
from verification.scoreboard import digests


def execute(case: Case, dut: Dut, call: Call) -> Iterator[Returned]:
    """Runs the calls of a case, each checked for what it did to its inputs.

    The outputs are copied at once, so that a later call which reuses their storage changes nothing that was returned.

    Args:
        case: the case.
        dut: its DUT.
        call: how to run it.

    Yields:
        One result a call.

    Raises:
        Exception: whatever the DUT raises.
    """
    for stimulus in dut.stimuli(case):
        before = digests(stimulus.tensors)
        outputs = dut.call(plant(call.fault, stimulus), call)
        yield Returned(
            outputs={name: tensor.detach().clone() for name, tensor in outputs.items()},
            digests_before=before,
            digests_after=digests(stimulus.tensors),
            shared=shared_storage(outputs, stimulus.tensors),
            storages={name: storage_range(tensor) for name, tensor in outputs.items()},
            tasks_expected=dut.expects_tasks(stimulus),
        )


def shared_storage(
    outputs: Mapping[str, torch.Tensor], others: Mapping[str, torch.Tensor]
) -> tuple[str, ...]:
    """Pairs ``output = other`` whose storages overlap, empty storages aside."""
    return tuple(
        f"{name} = {other}"
        for name, tensor in outputs.items()
        for other, second in others.items()
        if overlap(storage_range(tensor), storage_range(second))
    )


def storage_range(tensor: torch.Tensor) -> tuple[int, int]:
    """First byte and one past the last byte of the tensor's whole storage."""
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def overlap(left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether two address ranges [start, end) have a byte in common."""
    return max(left[0], right[0]) < min(left[1], right[1])
