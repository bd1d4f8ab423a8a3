"""Notes what a kernel's operations read and write, with the statement they stand in."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

from verification.shadow.builder import Builder, expression, expressions, valid_shape
from verification.shadow.patches import Patches
from verification.shadow.tree import VALUE, Assemble, Move, Operation, Ref, Store, Symbol, View

_OPERATIONS: Final = ("pypto.operation", "pypto.operator", "pypto.op.")
_OTHERWISE: Final = {"view", "assemble", "min", "max"}
_SILENT: Final = "pypto.op.verify"
_IN_PLACE: Final = {"index_add_", "index_put_", "scatter_", "scatter_update"}
_DERIVED: Final = {"reshape", "unsqueeze"}

Noting = Callable[[Callable[[Builder], None]], None]


class Effects:
    """Wraps PyPTO's operations. One that another one calls is part of that one.

    Args:
        pypto: the module.
        noting: runs a note against the trace in the making, if there is one.
    """

    def __init__(self, pypto: Any, noting: Noting) -> None:
        self._pypto = pypto
        self._noting = noting
        self._depth = 0

    def install(self, patches: Patches) -> None:
        """Puts the wrappers in place."""
        tensor = self._pypto.Tensor
        patches.put(tensor, "__init__", self._created(vars(tensor)["__init__"]))
        patches.put(tensor, "move", self._moved(vars(tensor)["move"]))
        patches.put(tensor, "__setitem__", self._stored(vars(tensor)["__setitem__"]))
        patches.put(self._pypto, "view", self._located(self._pypto.view, _viewed))
        patches.put(self._pypto, "assemble", self._quiet(self._pypto.assemble, _assembled))
        for name, function in list(vars(self._pypto).items()):
            if name not in _OTHERWISE and inspect.isfunction(function) and _is_operation(function.__module__):
                note = functools.partial(_operated, name)
                located = hasattr(function, "__wrapped__")
                patches.put(self._pypto, name, (self._located if located else self._quiet)(function, note))

    def _created(self, original: Any) -> Any:
        @functools.wraps(original)
        def create(tensor: Any, *args: Any, **kwargs: Any) -> None:
            original(tensor, *args, **kwargs)
            if self._depth == 0:
                self._noting(lambda builder: builder.create(tensor))

        return create

    def _moved(self, original: Any) -> Any:
        """``target[:] = source``, noted beforehand: it leaves the source empty."""

        @functools.wraps(original)
        def move(target: Any, source: Any) -> None:
            if self._depth == 0:
                self._noting(lambda builder: _move(builder, target, source))
            original(target, source)

        return move

    def _stored(self, original: Any) -> Any:
        """A single number written; every other form of ``[] =`` ends in an operation that is noted by itself.

        PyPTO's parser has set the source location before it assigns, so that this frame does not matter.
        """
        scalar = self._pypto.SymbolicScalar

        @functools.wraps(original)
        def store(tensor: Any, key: Any, value: Any) -> None:
            original(tensor, key, value)
            keys = key if isinstance(key, tuple) else (key,)
            if all(isinstance(one, int | scalar) for one in keys):
                self._noting(lambda builder: _store(builder, tensor, keys))

        return store

    def _quiet(self, original: Any, note: Callable[..., None]) -> Any:
        """Wraps an operation to which PyPTO gives no source location of its own."""

        @functools.wraps(original)
        def operation(*args: Any, **kwargs: Any) -> Any:
            return self._run(original, note, args, kwargs)

        return operation

    def _located(self, original: Any, note: Callable[..., None]) -> Any:
        """Wraps an operation that takes its caller's line for its source location."""
        from pypto._utils import clear_source_location, set_source_location

        @functools.wraps(original)
        def operation(*args: Any, **kwargs: Any) -> Any:
            set_source_location()  # of the caller of this function, as of an operation's own
            try:
                return self._run(original, note, args, kwargs)
            finally:
                clear_source_location()

        return operation

    def _run(self, original: Any, note: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        outermost = self._depth == 0
        self._depth += 1
        try:
            result = original(*args, **kwargs)
        finally:
            self._depth -= 1
        if outermost:
            self._noting(lambda builder: note(builder, result, *args, **kwargs))
        return result


def _is_operation(module: str) -> bool:
    return module.startswith(_OPERATIONS) and module != _SILENT


def _viewed(
    builder: Builder,
    result: Any,
    source: Any,
    shape: Sequence[int] | None = None,
    offsets: Sequence[Any] | None = None,
    **options: Any,
) -> None:
    stated = options.get("valid_shape")
    if shape is None or offsets is None:
        _operated("view", builder, result, source)
        return
    number = builder.number(source)
    builder.items.append(
        View(
            place=builder.place,
            source=number,
            result=builder.number(result, source=number),
            shape=expressions(shape),
            offsets=expressions(offsets),
            stated=None if stated is None else expressions(stated),
            valid=valid_shape(result),
            source_valid=valid_shape(source),
        )
    )


def _assembled(builder: Builder, result: Any, *args: Any, **options: Any) -> None:
    del result, options
    parts, target = ([(args[0], args[1])], args[2]) if len(args) == 3 else args
    for source, offsets in parts:
        note = Assemble(
            place=builder.place,
            source=builder.number(source),
            valid=valid_shape(source),
            offsets=expressions(offsets),
            target=builder.number(target),
        )
        builder.items.append(note)


def _move(builder: Builder, target: Any, source: Any) -> None:
    builder.items.append(Move(builder.place, builder.number(source), valid_shape(source), builder.number(target)))


def _store(builder: Builder, target: Any, offsets: Sequence[Any]) -> None:
    builder.items.append(Store(builder.place, builder.number(target), expressions(offsets)))


def _operated(name: str, builder: Builder, result: Any, *args: Any, **kwargs: Any) -> None:
    inputs = [one for one in _flat((*args, *kwargs.values())) if _is_tensor(one)]
    reads = tuple((builder.number(one), valid_shape(one)) for one in inputs if builder.kind(one) != VALUE)
    source = builder.number(inputs[0]) if inputs and name in _DERIVED else None
    builder.items.append(
        Operation(
            place=builder.place,
            name=name,
            reads=reads,
            valid=valid_shape(inputs[0]) if inputs else (),
            result=builder.number(result, source=source) if _is_tensor(result) else None,
            result_valid=valid_shape(result) if _is_tensor(result) else (),
            args=tuple(_plain(builder, one) for one in args),
            kwargs=tuple((key, _plain(builder, one)) for key, one in kwargs.items()),
        )
    )
    if name in _IN_PLACE and inputs:
        target = builder.number(inputs[0])
        builder.items.append(Move(builder.place, target, valid_shape(inputs[0]), target))


def _plain(builder: Builder, value: Any) -> Any:
    """An argument as data that outlives the trace."""
    import pypto

    if _is_tensor(value):
        return Ref(builder.number(value))
    if isinstance(value, pypto.SymbolicScalar):
        return Symbol(expression(value))
    if isinstance(value, list | tuple):
        return tuple(_plain(builder, one) for one in value)
    return value if isinstance(value, int | float | str | None) else str(getattr(value, "name", value))


def _is_tensor(value: Any) -> bool:
    import pypto

    return isinstance(value, pypto.Tensor)


def _flat(values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found += _flat(value) if isinstance(value, list | tuple) else [value]
    return found
