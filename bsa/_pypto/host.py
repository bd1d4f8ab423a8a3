"""Host code written for a card, run on the CPU: a stand-in for torch_npu; its kernels simulate, whatever they ask."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from bsa._pypto.device import synchronize
from bsa._pypto.loading import load

_ND: Final = 2
"""torch_npu's number of the plain format."""


@contextlib.contextmanager
def device_on_cpu() -> Iterator[None]:
    """Let host code find ``torch.npu`` and ``torch_npu`` for the time of the block, and its kernels run in SIM.

    There is no device to be available; ``synchronize`` is that of :func:`bsa._pypto.synchronize` in sim, so that
    whoever stands in for the device sees it, and ``Tensor.npu()`` is the tensor itself.

    Raises:
        PyptoEnvironmentError: see :func:`bsa._pypto.load`.
    """
    pypto = load()
    import torch  # here: whoever imports it before the number of threads is set has a second one
    from pypto.frontend.parser import entry

    def simulated(wrapper: Any) -> None:
        wrapper._runtime_options.update({"run_mode": pypto.RunMode.SIM.value})  # noqa: SLF001

    runtime = _runtime()
    package: Any = ModuleType("torch_npu")
    package.npu, package.get_npu_format = runtime, lambda _tensor: _ND
    with contextlib.ExitStack() as stack:
        for owner, name, value in (
            (torch, "npu", runtime),
            (torch.Tensor, "npu", lambda tensor, *_where, **_how: tensor),
            (entry.JitCallableWrapper, "_set_run_mode", simulated),
        ):
            stack.enter_context(_replaced(owner, name, value))
        before = sys.modules.get("torch_npu")
        sys.modules["torch_npu"] = package
        try:
            yield
        finally:
            sys.modules.pop("torch_npu")
            if before is not None:
                sys.modules["torch_npu"] = before


def _runtime() -> SimpleNamespace:
    return SimpleNamespace(
        synchronize=lambda *_device: synchronize("sim"),
        is_available=lambda: False,
        device_count=lambda: 0,
        current_device=lambda: 0,
        set_device=lambda *_device: None,
        current_stream=lambda *_device: SimpleNamespace(npu_stream=0, synchronize=lambda: synchronize("sim")),
        empty_cache=lambda: None,
    )


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Give an attribute another value, or one at all, for the time of the block."""
    had, before = hasattr(owner, name), getattr(owner, name, None)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if had:
            setattr(owner, name, before)
        else:
            delattr(owner, name)
