"""Checks on the run itself: a right number proves nothing if the kernel did not compute it from these inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from bsa.messages import catalogue
from verification.record import Check
from verification.sanitizer import Finding


@dataclass(frozen=True, kw_only=True)
class StorageRange:
    """Where a tensor's whole storage lies in this process's memory."""

    name: str
    start: int
    stop: int
    """One past the last byte."""

    def overlaps(self, other: StorageRange) -> bool:
        """Whether the two have a byte in common; an empty storage has none."""
        return max(self.start, other.start) < min(self.stop, other.stop)


def storage_range(name: str, tensor: torch.Tensor) -> StorageRange:
    """The range of the storage that ``tensor`` is a view of."""
    storage = tensor.untyped_storage()
    return StorageRange(name=name, start=storage.data_ptr(), stop=storage.data_ptr() + storage.nbytes())


def overlapping(outputs: Sequence[StorageRange], others: Sequence[StorageRange]) -> tuple[str, ...]:
    """Pairs with a common byte, as ``output = other``."""
    return tuple(f"{one.name} = {other.name}" for one in outputs for other in others if one.overlaps(other))


def inputs_unchanged(before: Mapping[str, str], after: Mapping[str, str]) -> Check:
    """The DUT left its inputs alone: digests before and after the call are equal."""
    return _equal("inputs", before, after, "the DUT changed its input {names}")


def same_inputs(reference: Mapping[str, str], seen: Mapping[str, str]) -> Check:
    """The DUT was given the inputs that the references were computed from."""
    return _equal("stimulus", reference, seen, "the DUT did not get the reference's {names}")


def references_unchanged(before: Mapping[str, str], after: Mapping[str, str]) -> Check:
    """The references are those frozen before the run."""
    return _equal("references", before, after, "the run changed the reference of {names}")


def no_shared_storage(shared: Sequence[str]) -> Check:
    """No output is storage of an input or of a reference.

    Args:
        shared: pairs that are, as ``output = other`` (see :func:`overlapping`).
    """
    return _counted("storage", len(shared), f"an output is the storage of something it was given: {', '.join(shared)}")


def tasks_ran(tasks: int | None, *, expected: bool) -> Check:
    """Kernel tasks were executed, if the inputs give the kernel work.

    Args:
        tasks: how many; None = the backend did not see any account of them.
        expected: whether there was work.
    """
    what = "no account of kernel tasks was found" if tasks is None else "no kernel task ran"
    return _counted("tasks", int(expected and not tasks), f"{what}: the outputs cannot come from the kernel")


def log_found(found: bool, *, expected: bool) -> Check:  # noqa: FBT001 - an observation, named by the function
    """The run left the log that shows what ran, if the inputs give the kernel work."""
    return _counted("log", int(expected and not found), "the run left no log that shows which stages ran")


def passes_agree(passes: Mapping[str, str], *, expected: bool) -> Check:
    """After every compile pass the interpreter computed what the tensor graph did.

    Args:
        passes: by pass: how it differs; empty text = it does not.
        expected: whether there was work, so that some pass must have been interpreted.
    """
    if expected and not passes:
        return _counted("passes", 1, "no pass was interpreted, though the run asked for it")
    differing = [f"{name}: {text}" for name, text in passes.items() if text]
    return _counted("passes", len(differing), f"first differing pass {differing[0] if differing else ''}")


def replay_agrees(difference: str) -> Check:
    """Our replay of the launches is what PyPTO says it ran.

    Args:
        difference: the first difference; empty if there is none. It is a fault of this environment.
    """
    wrong = "this environment's replay is wrong, and its kernel coverage and sanitizer with it"
    detail = f"{wrong}, or PyPTO runs other iterations than the kernel states: {difference}"
    return _counted("replay", int(bool(difference)), detail)


def sanitized(findings: Sequence[Finding]) -> Check:
    """The tile sanitizer found nothing that the kernel does not excuse at its line."""
    failing = [one for one in findings if not one.excuse]
    return _counted("sanitizer", len(failing), failing[0].words(catalogue("en").text) if failing else "")


def _equal(what: str, left: Mapping[str, str], right: Mapping[str, str], text: str) -> Check:
    changed = [name for name in sorted({*left, *right}) if left.get(name) != right.get(name)]
    return _counted(what, len(changed), text.format(names=", ".join(changed)))


def _counted(what: str, count: int, detail: str) -> Check:
    return Check(
        rule=f"integrity:{what}",
        passed=count == 0,
        value=float(count),
        limit=0.0,
        ratio=math.inf if count else 0.0,
        detail=detail if count else "",
    )
