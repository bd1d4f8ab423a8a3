"""Waiting for the device: on a card torch_npu does it, in sim there is nothing to wait for, unless somebody watches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Watch = Callable[[Sequence[Any]], None]
"""Told the tensors of each launch, before it."""

_waits: list[Callable[[], None]] = []


def synchronize(run_mode: str) -> None:
    """Wait until what the host has submitted is done, before a launch reads it or the host reads a launch's results.

    Args:
        run_mode: ``npu`` waits for the card; ``sim`` calls the stand-in of :func:`standing_in`, if there is one.
    """
    if run_mode == "npu":
        import torch

        torch.npu.synchronize()  # type: ignore[attr-defined]  # torch_npu adds it
    elif _waits:
        _waits[-1]()


@contextlib.contextmanager
def standing_in(wait: Callable[[], None], watch: Watch) -> Iterator[None]:
    """Stand in for the device's runtime in sim, for the time of the block.

    Args:
        wait: called in place of waiting.
        watch: told the tensors of each launch; what it raises ends the launch.
    """
    from bsa._pypto.loading import load

    load()
    from pypto.frontend.parser import entry

    call = entry.JitCallableWrapper.__call__

    def watched(kernel: Any, *arguments: Any, **keywords: Any) -> Any:
        import torch

        watch([one for one in (*arguments, *keywords.values()) if isinstance(one, torch.Tensor)])
        return call(kernel, *arguments, **keywords)

    entry.JitCallableWrapper.__call__ = watched
    _waits.append(wait)
    try:
        yield
    finally:
        _waits.pop()
        entry.JitCallableWrapper.__call__ = call
