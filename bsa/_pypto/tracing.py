"""Traces kernels without compiling or running them: what they would do at any size needs no more."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from bsa._pypto.loading import load

_STAGE = "compile_stage"


@contextlib.contextmanager
def trace_only() -> Iterator[None]:
    """Let every kernel launched inside the block be traced and nothing else: its outputs stay as they are.

    A launch costs the trace alone, whatever the kernel's tiles; compiling a wide variant takes minutes.

    Raises:
        PyptoEnvironmentError: see :func:`bsa._pypto.load`.
    """
    pypto = load()
    from pypto.frontend.parser.entry import JitCallableWrapper

    methods = {name: vars(JitCallableWrapper)[name] for name in ("_ensure_host_options", "_run_with_cpu")}
    changed: list[tuple[Any, Any]] = []

    def stop_early(kernel: Any) -> None:
        """A jit object keeps its options: what they were is put back at the end of the block."""
        changed.append((kernel, kernel._host_options))  # noqa: SLF001
        methods["_ensure_host_options"](kernel)
        kernel._host_options = {**kernel._host_options, _STAGE: pypto.CompStage.TENSOR_GRAPH.value}  # noqa: SLF001

    replaced = {"_ensure_host_options": stop_early, "_run_with_cpu": lambda *_: None}
    try:
        for name, value in replaced.items():
            setattr(JitCallableWrapper, name, value)
        with pypto.options(
            "trace_only",
            verify_options={"enable_pass_verify": False},
            debug_options={"runtime_debug_mode": 3},
            runtime_options={"run_mode": int(pypto.RunMode.SIM)},
        ):
            yield
    finally:
        for name, value in methods.items():
            setattr(JitCallableWrapper, name, value)
        for kernel, options in reversed(changed):
            kernel._host_options = options  # noqa: SLF001
