"""Runs kernels in the simulator: options in, numbers in the output tensors, artefacts and true errors out."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from bsa._pypto.artefacts import Launch, read_launch
from bsa._pypto.capture import FirstError, describe, output_to, tail
from bsa._pypto.environment import OUTPUT_DIR
from bsa._pypto.errors import KernelError
from bsa._pypto.folders import scratch_folder
from bsa._pypto.loading import load

Passes = Literal["none", "default", "all"]
"""After which compile passes the interpreter runs again: none (the tensor graph only), PyPTO's default list, all."""

_FILTERS: Final[dict[Passes, list[str] | None]] = {"none": ["no_verify"], "default": None, "all": ["all"]}
_LOG: Final = "run.log"


@dataclass
class Run:
    """The launches of one :func:`simulate` block. Read the launches before the block's scratch folder goes."""

    folder: Path
    """Where PyPTO wrote, one ``output_*`` folder per launch, and ``run.log``."""
    passes: Passes
    """After which passes the interpreter ran."""
    launches: list[Launch] = field(default_factory=list)
    """One entry per kernel launch, in order; filled when the block ends."""


_active: Run | None = None


@contextlib.contextmanager
def simulate(*, passes: Passes = "none", output_dir: Path | str | None = None, capture: bool = True) -> Iterator[Run]:
    """Give every kernel launched inside the block right numbers, and read what its run left behind.

    Inside, PyPTO's jit objects that ask for nothing else run in SIM mode with the interpreter on and with dtypes and
    shapes checked up front. A block inside another shares the outer one's folder and options and has its own list of
    launches.

    Args:
        passes: after which compile passes the interpreter runs again. Costs about 2.5 times (default) and 5 times
            (all) of "none".
        output_dir: folder that receives the run's files, and keeps them. Without it they go to
            ``TILE_FWK_OUTPUT_DIR`` if that is set, and stay there; else to a scratch folder that is removed.
        capture: send stdout and stderr of the block to ``run.log`` in that folder. Switch it off in a process whose
            descriptors are a file already.

    Yields:
        The run; its ``launches`` are complete when the block ends without an error.

    Raises:
        KernelError: a kernel failed, with the true error.
        ValueError: ``passes`` is not one of the three.
        PyptoEnvironmentError: see :func:`bsa._pypto.load`.
    """
    global _active  # noqa: PLW0603  # PyPTO's options and output folder are global to the process too
    if passes not in get_args(Passes):
        raise ValueError(f"passes={passes!r}: expected one of {', '.join(get_args(Passes))}")
    pypto = load()
    outer = _active
    with contextlib.ExitStack() as stack:
        if outer is None:
            folder = stack.enter_context(_run_folder(output_dir))
            run = Run(folder=folder, passes=passes)
            if capture:
                stack.enter_context(output_to(folder / _LOG))
            stack.enter_context(_options(pypto, passes))
            stack.enter_context(_no_garbage_collection())
        else:
            run = Run(folder=outer.folder, passes=outer.passes)
        before = _outputs(run.folder)
        _active = run
        stack.callback(_reset_active, outer)
        with _true_errors(run.folder / _LOG):
            yield run
        run.launches.extend(read_launch(path) for path in sorted(_outputs(run.folder) - before))


def _reset_active(outer: Run | None) -> None:
    global _active  # noqa: PLW0603
    _active = outer


def _outputs(folder: Path) -> set[Path]:
    return set(folder.glob("output_*"))


@contextlib.contextmanager
def _run_folder(output_dir: Path | str | None) -> Iterator[Path]:
    """Point PyPTO's output to the folder of this run for the time of the block."""
    configured = os.environ.get(OUTPUT_DIR)
    chosen = output_dir or configured
    folder = Path(chosen) if chosen else scratch_folder()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[OUTPUT_DIR] = str(folder.resolve())
    try:
        yield folder
    finally:
        if configured is None:
            del os.environ[OUTPUT_DIR]
        else:
            os.environ[OUTPUT_DIR] = configured
        if not chosen:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Keep Python from walking all of torch again and again while PyPTO allocates (0.3 CPU s a run)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def _options(pypto: Any, passes: Passes) -> Iterator[None]:
    """Set PyPTO's options for right numbers in a scope of their own."""
    verify: dict[str, object] = {"enable_pass_verify": True, "pass_verify_error_tol": [1e-3, 1e-3]}
    names = _FILTERS[passes]
    if names is not None:
        verify["pass_verify_pass_filter"] = names
    with pypto.options(
        "simulate",
        verify_options=verify,
        debug_options={"runtime_debug_mode": 3},
        runtime_options={"run_mode": int(pypto.RunMode.SIM)},
    ):
        yield


@contextlib.contextmanager
def _true_errors(log: Path) -> Iterator[None]:
    """Raise the error that PyPTO logged in place of the one it raised after it."""
    with FirstError().listening() as first:
        try:
            yield
        except KernelError:
            raise
        except Exception as error:
            if not first.text and not _from_pypto(error):
                raise
            raised = describe(error)
            raise KernelError(
                first.text or raised,
                kernel=first.kernel,
                line=first.line,
                masked_by=raised if first.text not in ("", raised) else "",
                log_tail=tail(log),
            ) from error


def _from_pypto(error: BaseException) -> bool:
    """Say whether ``error`` was raised inside the pypto package."""
    trace = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).split(".")[0] == "pypto":
            return True
        trace = trace.tb_next
    return False
