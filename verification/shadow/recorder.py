"""Records the trace of every kernel that is launched in a block, without a change to what PyPTO does.

For the time of the block methods of PyPTO's parser and functions of its Python modules are wrapped; nothing compiled
is touched. A wrapper around an operation would give it the wrapper's own line as source location, so that it sets the
caller's first. What goes wrong in the noting itself is kept apart and never reaches the kernel.
"""

from __future__ import annotations

import contextlib
import functools
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bsa._pypto import load
from verification.shadow.builder import Builder
from verification.shadow.effects import Effects
from verification.shadow.hooks import Hooks
from verification.shadow.launch import Launched, snapshot
from verification.shadow.patches import Patches


class Recording(list[Launched]):
    """The launches of a block, in order.

    Attributes:
        problem: traceback of what went wrong in the noting; empty if nothing did.
        broken: launches that were traced to the end and that PyPTO then ended with an error.
        keep: whether to keep the tensors of each launch, before and after it.
    """

    problem = ""
    keep = False

    def __init__(self) -> None:
        super().__init__()
        self.broken: list[Launched] = []


@contextlib.contextmanager
def record(recording: Recording | None = None) -> Iterator[Recording]:
    """Notes the trace of every kernel launched inside the block.

    Args:
        recording: where to note it; None = a new one.

    Yields:
        The launches. A kernel whose trace or run failed is not among them; see :attr:`Recording.broken`.
    """
    recording = Recording() if recording is None else recording
    recorder = _Recorder(load(), recording)
    recorder.install()
    try:
        yield recording
    finally:
        recorder.patches.undo()


class _Recorder:
    def __init__(self, pypto: Any, recording: Recording) -> None:
        self.patches = Patches()
        self._recording = recording
        self._hooks = Hooks(pypto, self.patches, self._failed)
        self._effects = Effects(pypto, self._hooks.noting)

    def install(self) -> None:
        """Puts the wrappers in place, all or none."""
        from pypto.frontend.parser import entry

        try:
            self._hooks.install()
            self.patches.put(entry.JitCallableWrapper, "_execute_kernel", self._launch(entry.JitCallableWrapper))
            self._effects.install(self.patches)
        except BaseException:
            self.patches.undo()
            raise

    def _launch(self, wrapper: Any) -> Callable[..., None]:
        original = vars(wrapper)["_execute_kernel"]

        @functools.wraps(original)
        def execute(kernel: Any, tensors: list[Any], definitions: list[Any]) -> None:
            self._hooks.builder = None
            shapes, tables = snapshot([one.name for one in definitions], tensors)
            before = self._copies(tensors, definitions)
            try:
                original(kernel, tensors, definitions)
                if self._hooks.builder is not None:
                    kept = {"before": before, "after": self._copies(tensors, definitions)}
                    self._finish(self._hooks.builder, shapes=shapes, tables=tables, **kept)
            except BaseException:
                if self._hooks.builder is not None:
                    with contextlib.suppress(Exception):  # what is left of it after the error may not do
                        self._recording.broken.append(
                            Launched(trace=self._hooks.builder.finish(), shapes=shapes, tables=tables, before=before)
                        )
                raise
            finally:
                self._hooks.builder = None

        return execute

    def _copies(self, tensors: list[Any], definitions: list[Any]) -> dict[str, Any]:
        """Copies of the tensors, if they are to be kept; whoever watches what the host does must not see them made."""
        if not self._recording.keep:
            return {}
        from torch.utils._python_dispatch import _disable_current_modes

        with _disable_current_modes():
            return {one.name: tensor.clone() for one, tensor in zip(definitions, tensors, strict=True)}

    def _finish(self, builder: Builder, **launch: Mapping[str, Any]) -> None:
        try:
            self._recording.append(Launched(trace=builder.finish(), **launch))
        except Exception:  # noqa: BLE001 - whatever is wrong with us must not become the kernel's failure
            self._failed(traceback.format_exc(limit=-4))

    def _failed(self, problem: str) -> None:
        self._recording.problem = self._recording.problem or problem
