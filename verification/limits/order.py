"""Limit 13 by order: which launch arguments were written, and which results touched, without a synchronize between.

Sim is synchronous, so a missing synchronize changes no number there. Here every torch operation of the wrapper is seen
as the device would get it: what it writes is unfinished until the next synchronize, and so is what a launch writes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bsa._pypto.device import standing_in

_ALLOCATING = ("aten.empty", "aten.new_empty")
"""Operations that write nothing."""


class UnfinishedError(AssertionError):
    """A launch read what the host may still be writing, or the host touched what a launch may still be writing."""


class LaunchOrder(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not type it
    """Watches torch operations and launches.

    Args:
        poison: fill unfinished floating-point arguments of a launch with NaN in place of raising, as a device that
            reads too early would see other values; whoever judges the results then fails the case.
    """

    def __init__(self, *, poison: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.poison = poison
        self.launches = 0
        """Launches so far."""
        self.waits = 0
        """Synchronizes so far."""
        self.dirty: list[tuple[int, int]] = []
        """(launch, argument) of every argument that was unfinished, in poison mode."""
        self._written: dict[int, str] = {}
        self._in_flight: set[int] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler (350 modules, 0.8 CPU s a process) for the sake of this class."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Runs one operation and keeps what it wrote. See torch's dispatch modes."""
        del types
        given = [*args, *(kwargs or {}).values()]
        for tensor in _tensors(given):
            if tensor.numel() and _storage(tensor) in self._in_flight:
                raise UnfinishedError(
                    f"{func} touches a tensor that launch {self.launches} may still be writing: "
                    "call synchronize after the launch"
                )
        result = func(*args, **(kwargs or {}))
        for tensor in self._changed(func, args, kwargs or {}, result):
            if tensor.numel() and not str(func).startswith(_ALLOCATING):
                self._written[_storage(tensor)] = str(func)
        return result

    @staticmethod
    def _changed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Iterator[torch.Tensor]:
        """Tensors whose storage an operation wrote: arguments that its schema says so of, and new results."""
        schema = func._schema  # noqa: SLF001 - the public way to it is the same attribute
        for place, argument in enumerate(schema.arguments):
            info = argument.alias_info
            value = args[place] if place < len(args) else kwargs.get(argument.name)
            if info is not None and info.is_write:
                yield from _tensors([value])
        if all(one.alias_info is None for one in schema.returns):
            yield from _tensors([result])

    def synchronize(self) -> None:
        """What the wrapper calls: everything submitted so far is finished."""
        self.waits += 1
        self._written.clear()
        self._in_flight.clear()

    def launch(self, tensors: Sequence[torch.Tensor]) -> None:
        """What every launch passes through.

        Raises:
            UnfinishedError: an argument is unfinished, and this is not poison mode.
        """
        self.launches += 1
        unfinished = [
            (place, by) for place, one in enumerate(tensors) if one.numel() and (by := self._written.get(_storage(one)))
        ]
        self._in_flight |= {_storage(one) for one in tensors if one.numel()}
        if not unfinished:
            return
        if not self.poison:
            place, by = unfinished[0]
            raise UnfinishedError(
                f"launch {self.launches}: argument {place + 1} was written by {by} since the last synchronize: "
                "call synchronize before the launch"
            )
        self.dirty += [(self.launches, place) for place, _ in unfinished]
        with torch.utils._python_dispatch._disable_current_modes():  # noqa: SLF001 - our own write is not the wrapper's
            for place, _ in unfinished:
                if tensors[place].is_floating_point():
                    tensors[place].fill_(torch.nan)


@contextlib.contextmanager
def launch_order(*, poison: bool = False) -> Iterator[LaunchOrder]:
    """Watches everything that this thread does within the block.

    Args:
        poison: see :class:`LaunchOrder`.

    Raises:
        UnfinishedError: from within the block, at the operation or launch that came too early.
    """
    order = LaunchOrder(poison=poison)
    with standing_in(order.synchronize, order.launch), order:
        yield order


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)
